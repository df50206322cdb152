"""Asking an index and writing down what it found: recall by the flat index of FAISS, times by a clock, and a run."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pytest
from qdrant_client import QdrantClient, models
from sklearn.preprocessing import normalize
from tests.workflows.projects import write_project

import ragtriage as rt
from ragtriage.core.clock import FixedClock
from ragtriage.core.errors import BadInput, StorageFailed, SystemUnavailable
from ragtriage.workflows.index_opening import IndexAddress
from ragtriage.workflows.recorded_recall import RecordedRecall, VectorPlaces, as_json, record_recall

RANDOM = np.random.default_rng(9)
VECTORS = RANDOM.normal(size=(300, 16)).astype(np.float32)
QUERIES = RANDOM.normal(size=(30, 16)).astype(np.float32)
TRUE = normalize(QUERIES) @ normalize(VECTORS).T
FIRST = np.argsort(-TRUE, axis=1)[:, :10]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("vectors.npy", VECTORS)
    np.save("queries.npy", QUERIES)
    return tmp_path


def recorded(address: IndexAddress, **more: Any) -> RecordedRecall:
    places = VectorPlaces(Path("vectors.npy"), Path("queries.npy"), more.pop("vector_ids", None))
    environment = more.pop("environment", {})
    return record_recall(address, places, Path("found.jsonl"), environment=environment, base=Path(), **more)


def found_ids() -> list[list[str]]:
    return [json.loads(line)["ids"] for line in Path("found.jsonl").read_text().splitlines()]


def graph(folder: Path) -> Path:
    index = faiss.IndexHNSWFlat(16, 4, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction, index.hnsw.efSearch = 8, 4
    index.add(normalize(VECTORS))
    faiss.write_index(index, str(folder / "graph.faiss"))
    return folder / "graph.faiss"


@contextmanager
def refusing() -> Iterator[tuple[str, list[str | None]]]:
    """A server that refuses everybody and remembers the keys that came."""
    keys: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            keys.append(self.headers["api-key"])
            self.send_response(403)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", keys
        finally:
            server.shutdown()
            thread.join()


def module(text: str) -> None:
    Path("own_index.py").write_text(text)


def test_a_graph_from_a_file_is_held_against_the_true_neighbours_and_again_in_a_run(folder: Path) -> None:
    index = faiss.read_index(str(graph(folder)))
    places = index.search(normalize(QUERIES), 10)[1]
    found = recorded(IndexAddress(faiss=Path("graph.faiss")))
    shares = [len({*a} & {*b}) / 10 for a, b in zip(FIRST, places, strict=True)]
    assert 0.1 < np.mean(shares) < 0.9
    assert found.score.recall.value == pytest.approx(np.mean(shares))
    assert found_ids() == [[str(place) for place in row if place >= 0] for row in places]
    assert (found.score.items, found.queries, found.notes) == (300, 30, ())
    config = write_project(
        folder / "project",
        documents=[{"doc_id": "d", "text": "x"}],
        cases=[{"case_id": "c", "question": "?"}],
        traces=[{"trace_id": "c", "case_id": "c", "question": "?"}],
        settings='[ingest.neighbours]\nvectors = "../vectors.npy"\nqueries = "../queries.npy"\n'
        'found = "../found.jsonl"\n',
    )
    run = rt.evaluate(config, output=folder / "run")
    row = run.results.row("ingest.ann_recall@10")
    assert row is not None
    assert row.value == found.score.recall.value
    assert any("a query took" in note for note in run.results.notes)


def test_wider_search_finds_more(folder: Path) -> None:
    graph(folder)
    narrow = recorded(IndexAddress(faiss=Path("graph.faiss"))).score.recall.value
    wide = recorded(IndexAddress(faiss=Path("graph.faiss"), ef_search=300)).score.recall.value
    assert narrow is not None
    assert wide is not None
    assert narrow < wide


def test_a_collection_of_the_embedded_mode_searches_exactly_and_says_so(folder: Path) -> None:
    names = [f"00000000-0000-0000-0000-{row:012d}" for row in range(300)]
    client: Any = QdrantClient(path=str(folder / "qdrant"))
    form = models.VectorParams(size=16, distance=models.Distance.COSINE)
    client.create_collection("kb", vectors_config={"text": form})
    client.upsert("kb", points=models.Batch(ids=names, vectors={"text": VECTORS.tolist()}))
    client.close()
    Path("ids.txt").write_text("\n".join(names))
    address = IndexAddress(qdrant="qdrant", collection="kb", using="text")
    found = recorded(address, vector_ids=Path("ids.txt"), k=5)
    assert found.score.recall.value == 1.0
    assert found_ids() == [[names[place] for place in row] for row in FIRST[:, :5]]
    assert found.notes == ("Qdrant holds 300 of 300 vectors outside its graph, and searches them exactly",)
    again = recorded(address, vector_ids=Path("ids.txt"), k=5)  # the folder was closed and is as it was
    assert again.score.recall.value == 1.0
    with pytest.raises(BadInput, match="measures by cosine: give --distance with it"):
        recorded(address, vector_ids=Path("ids.txt"), distance="dot")
    with pytest.raises(BadInput, match="which is not in the table"):
        recorded(address)  # rows are no ids of its points
    np.save("vectors.npy", VECTORS[:-1])
    Path("ids.txt").write_text("\n".join(names[:-1]))
    with pytest.raises(BadInput, match=r"holds 300 points, and vectors\.npy 299"):
        recorded(address, vector_ids=Path("ids.txt"))


@pytest.mark.parametrize("answer", ["rows", "rows.tolist()", "[[f'd{n}' for n in rows[0]]]", "(rows, scores)"])
def test_a_function_returns_rows_or_ids(folder: Path, answer: str) -> None:
    assert folder
    module(
        "import numpy as np\n"
        "vectors = np.load('vectors.npy')\n"
        "vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)\n"
        "def search(queries, k):\n"
        "    near = queries @ vectors.T\n"
        "    rows = np.argsort(-near, axis=1)[:, :k]\n"
        "    scores = np.take_along_axis(near, rows, axis=1)\n"
        f"    return {answer}\n"
    )
    Path("ids.txt").write_text("\n".join(f"d{row}" for row in range(300)))
    found = recorded(IndexAddress(python="own_index:search"), vector_ids=Path("ids.txt"))
    assert found.score.recall.value == 1.0
    assert found_ids() == [[f"d{place}" for place in row] for row in FIRST]


@pytest.mark.parametrize(
    ("body", "error", "told"),
    [
        (
            "raise KeyError('lost')",
            SystemUnavailable,
            r"'own_index:search' fails: KeyError: 'lost' \(own_index",
        ),
        ("exit(3)", SystemUnavailable, "SystemExit"),
        ("return [['x']]", BadInput, "returned 'x', of which there is no vector"),
        ("return [[300]]", BadInput, "returned the place 300, and holds 300 items"),
        ("return None", BadInput, "must return a list of places"),
        ("return ['1']", BadInput, "must return places as whole numbers"),
        ("return [[0.5]]", BadInput, "must return places as whole numbers"),
    ],
)
def test_a_function_that_fails_or_returns_what_is_no_list_of_items_leaves_no_file(
    folder: Path, body: str, error: type[Exception], told: str
) -> None:
    module(f"def search(queries, k):\n    {body}\n")
    with pytest.raises(error, match=told):
        recorded(IndexAddress(python="own_index:search"))
    assert not (folder / "found.jsonl").exists()


def test_a_function_that_finds_nothing_recalls_nothing(folder: Path) -> None:
    assert folder
    module("def search(queries, k):\n    return [[]]\n")
    found = recorded(IndexAddress(python="own_index:search"), clock=FixedClock())
    assert (found.score.recall.value, found.score.queries_per_s) == (0.0, None)
    assert json.loads(as_json(found))["ms_per_query"] is None
    assert found_ids() == [[]] * 30


def test_a_module_that_is_not_there_cannot_be_asked(folder: Path) -> None:
    assert folder
    module("search = 3\n")
    with pytest.raises(SystemUnavailable, match="the index 'nowhere_index:search' cannot be loaded"):
        recorded(IndexAddress(python="nowhere_index:search"))
    with pytest.raises(BadInput, match=r"is no callable\. Got int"):
        recorded(IndexAddress(python="own_index:search"))
    with pytest.raises(BadInput, match="must be 'module:callable'"):
        recorded(IndexAddress(python="own_index"))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "name one index"),
        ({"faiss": Path("a"), "python": "a:b"}, "name one index"),
        ({"qdrant": "http://localhost"}, "--qdrant and --collection belong together"),
        ({"faiss": Path("a"), "collection": "kb"}, "--qdrant and --collection belong together"),
        ({"faiss": Path("a"), "using": "text"}, "--using says nothing of such an index"),
        ({"python": "a:b", "api_key": "env:KEY"}, "--api-key says nothing"),
        ({"python": "a:b", "ef_search": 3}, "--ef-search says nothing"),
        ({"qdrant": "http://x", "collection": "kb", "nprobe": 3}, "--nprobe says nothing"),
        ({"qdrant": "http://x", "collection": "kb", "api_key": "hunter2hunter2"}, "never as a literal"),
        ({"qdrant": "http://x", "collection": "kb", "api_key": "Bearer env:KEY"}, "never as a literal"),
        ({"qdrant": "http://me:hunter2@x", "collection": "kb"}, "holds a password"),
    ],
)
def test_an_address_that_names_no_index_is_refused_without_its_secret(given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told) as refused:
        IndexAddress(**given)
    assert "hunter2" not in str(refused.value)


def test_a_key_comes_from_the_environment(folder: Path) -> None:
    assert folder
    address = IndexAddress(qdrant="http://127.0.0.1:9", collection="kb", api_key="env:QDRANT_KEY")
    with pytest.raises(BadInput, match="is not set: QDRANT_KEY"):
        recorded(address)
    with refusing() as (url, keys):
        address = IndexAddress(qdrant=url, collection="kb", api_key="env:QDRANT_KEY")
        with (
            pytest.warns(UserWarning, match="insecure"),
            pytest.raises(BadInput, match="refuses the collection 'kb'") as told,
        ):
            recorded(address, environment={"QDRANT_KEY": "hunter2hunter2"})
    assert keys == ["hunter2hunter2"]
    assert "hunter2" not in str(told.value)


def test_vectors_and_outputs_are_looked_at_before_anything_is_asked(folder: Path) -> None:
    address = IndexAddress(python="never_there:search")
    with pytest.raises(BadInput, match="-k 301 is more than the 300 vectors"):
        recorded(address, k=301)
    (folder / "found.jsonl").mkdir()
    with pytest.raises(StorageFailed, match="is a folder"):
        recorded(address)
    places = VectorPlaces(Path("vectors.npy"), Path("queries.npy"))
    with pytest.raises(BadInput, match=r"queries\.npy is read"):
        record_recall(address, places, folder / "queries.npy", environment={}, base=folder)
    np.save("queries.npy", QUERIES[:, :3])
    with pytest.raises(BadInput, match=r"queries\.npy: holds vectors of 3 numbers, and vectors\.npy of 16"):
        record_recall(address, places, Path("other.jsonl"), environment={}, base=folder)
    Path("queries.npy").write_text("noise")
    Path("vectors.npy").unlink()
    with pytest.raises(BadInput) as told:
        record_recall(address, places, Path("other.jsonl"), environment={}, base=folder)
    assert "--vectors: vectors.npy: No such file" in str(told.value)
    assert "--queries: queries.npy: is no table" in str(told.value)


def test_an_index_of_other_vectors_is_refused(folder: Path) -> None:
    index = faiss.IndexFlatIP(3)
    index.add(VECTORS[:, :3].copy())
    faiss.write_index(index, str(folder / "other.faiss"))
    with pytest.raises(BadInput, match=r"other\.faiss: holds vectors of 3 numbers, and vectors\.npy of 16"):
        recorded(IndexAddress(faiss=Path("other.faiss")))
