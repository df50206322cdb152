"""Sentences are embedded once and measured document by document, whatever the embedder does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ragtriage.core.chunk_views import PairCosines, SentencesView
from ragtriage.core.errors import JudgeUnavailable, StorageFailed
from ragtriage.core.records import Case, Chunk, Document
from ragtriage.core.score import Failed, Undefined
from ragtriage.data.chunk_viewing import ChunkedCorpus
from ragtriage.data.corpus import corpus_of
from ragtriage.models.ports import CallFailed
from ragtriage.runs.asking import AskFailed
from ragtriage.runs.embedding import SentenceEmbedder, batches_of, embed_sentences, measured_sentences
from ragtriage.runs.execute import Silent
from ragtriage.runs.plan import Plan
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.store import RunStore

Embed = Callable[[Sequence[str]], Awaitable[Any]]


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore.create(tmp_path, Plan({}, {}, base="."), [Case(case_id="c", question="?")], None)


def corpus(*texts: str) -> ChunkedCorpus:
    """Documents d0, d1 ... whose chunks are parted by an empty line."""
    documents, chunks = [], []
    for n, text in enumerate(texts):
        documents.append(Document(doc_id=f"d{n}", text=text))
        at = 0
        for piece in text.split("\n\n"):
            chunks.append(Chunk(chunk_id=f"d{n}#{at}", doc_id=f"d{n}", start=at, end=at + len(piece), text=piece))
            at += len(piece) + 2
    return ChunkedCorpus(corpus_of(documents), tuple(chunks))


def many(count: int) -> ChunkedCorpus:
    return corpus(*(f"Fee {n} a. Fee {n} b.\n\nFee {n} c." for n in range(count)))


class Counting:
    """Answers with two numbers a text, or as `instead` says; remembers what it was asked."""

    def __init__(self, instead: Callable[[Sequence[str]], Any] = lambda _: None) -> None:
        self.asked: list[list[str]] = []
        self._instead = instead

    async def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        await asyncio.sleep(0)
        other = self._instead(texts)
        if isinstance(other, BaseException):
            raise other
        return np.array([[len(t), t.count("a")] for t in texts], dtype=np.float32) if other is None else other

    @property
    def texts(self) -> list[str]:
        return [text for texts in self.asked for text in texts]


def embed(
    chunked: ChunkedCorpus, store: RunStore, by: Embed, *, at_once: int = 1, secrets: Any = None
) -> dict[str, Any]:
    embedder = SentenceEmbedder("m", by, at_once)
    work = embed_sentences(chunked, embedder, store=store, secrets=secrets or Secrets(), progress=Silent())
    asyncio.run(work)
    return measured_sentences(store)


def test_what_is_kept_comes_back_as_it_was(store: RunStore) -> None:
    found = embed(corpus("One. One.\n\nTwo.", "Alone. Here.", ""), store, Counting())
    assert found["d0"] == SentencesView(
        every=PairCosines(pytest.approx(1.0), 1, pytest.approx(2.0), 2),  # letters count alike, and so does a repeat
        adjacent=PairCosines(pytest.approx(1.0), 1, pytest.approx(1.0), 1),
    )
    assert found["d1"] == Undefined("it has no pair of sentences within a chunk, or none across a border")
    assert set(found) == {"d0", "d1", "d2"}
    assert store.vectors(model="m") == {}


def test_a_batch_holds_64_texts_and_16000_characters() -> None:
    assert [len(b) for b in batches_of(["x"] * 130)] == [64, 64, 2]
    assert [len(b) for b in batches_of(["x" * 8000] * 3)] == [2, 1]
    assert [len(b) for b in batches_of(["x", "y" * 20_000, "z"])] == [1, 1, 1]
    assert list(batches_of([])) == []


@pytest.mark.parametrize("at_once", [1, 5])
def test_each_text_goes_out_once_however_many_calls_are_under_way(store: RunStore, at_once: int) -> None:
    embedder = Counting()
    found = embed(many(300), store, embedder, at_once=at_once)
    assert len(embedder.texts) == len(set(embedder.texts)) == 900
    assert all(isinstance(one, SentencesView) for one in found.values())
    assert len(found) == 300
    assert embed(many(300), store, embedder) == found
    assert len(embedder.texts) == 900


@pytest.mark.parametrize(
    ("failure", "calls", "failed"),
    [
        (CallFailed("refused", "input is too long"), 2 + 2 * 6 - 1, 1),
        (CallFailed("bad_reply", "no numbers"), 2 + 2 * 6 - 1, 1),
        (AskFailed("ValueError", "no"), 2 + 2 * 6 - 1, 1),
        (CallFailed("server", "500"), 2, 22),
        (CallFailed("timeout", "late"), 2, 22),
        (AskFailed("TimeoutError", "late"), 2, 22),
        (AskFailed("InvalidReply", "no table"), 2, 22),
    ],
)
def test_a_refusal_is_traced_to_its_text_and_no_other_failure_is(
    store: RunStore, failure: Exception, calls: int, failed: int
) -> None:
    embedder = Counting(lambda texts: failure if "Fee 3 b." in texts else None)
    # 120 sentences in two batches; the first ends in the 22nd document. Halving takes 12 calls, but "Fee 3 c." is
    # wanted by nobody once its document is lost.
    found = embed(many(40), store, embedder)
    assert len(embedder.asked) == calls
    lost = {name: one for name, one in found.items() if isinstance(one, Failed)}
    assert len(lost) == failed
    assert lost["d3"] == Failed("embedding", failure.kind, failure.message)  # type: ignore[attr-defined]
    again = Counting()
    assert not any(isinstance(one, Failed) for one in embed(many(40), store, again).values())
    known = set(embedder.texts) - set(again.texts)
    assert "Fee 39 c." in known
    assert store.vectors(model="m") == {}


def test_an_endpoint_that_is_gone_ends_the_run_and_what_is_done_stays(store: RunStore) -> None:
    embedder = Counting(lambda texts: JudgeUnavailable("gone") if "Fee 30 a." in texts else None)
    with pytest.raises(JudgeUnavailable):
        embed(many(100), store, embedder)
    assert len(measured_sentences(store)) == 21
    again = Counting()
    embed(many(100), store, again)
    assert len(again.texts) == 300 - 64
    assert len(measured_sentences(store)) == 100


def test_it_gives_up_after_32_failures_in_a_row_and_not_before(store: RunStore) -> None:
    embedder = Counting(lambda _: CallFailed("server", "500"))
    found = embed(many(2000), store, embedder)
    assert len(embedder.asked) == 32
    told = {one.error for one in found.values() if isinstance(one, Failed)}
    assert (len(found), told) == (2000, {"server", "GivenUp"})
    shaky = Counting(lambda _: CallFailed("server", "500") if len(shaky.asked) % 30 else None)
    embed(many(2000), store, shaky)
    assert len(shaky.asked) > 60


def test_vectors_of_another_length_than_before_are_a_failure_of_their_texts(store: RunStore) -> None:
    stops = Counting(lambda texts: JudgeUnavailable("gone") if "Fee 30 a." in texts else None)
    with pytest.raises(JudgeUnavailable):
        embed(many(40), store, stops)
    wider = Counting(lambda texts: np.ones((len(texts), 3), dtype=np.float32))
    found = embed(many(40), store, wider)
    (message,) = {one.message for one in found.values() if isinstance(one, Failed)}
    assert "2 and 3 numbers" in message


def test_a_secret_in_a_failure_is_not_kept(store: RunStore) -> None:
    embedder = Counting(lambda _: AskFailed("ValueError", "key hunter2hunter2 refused"))
    found = embed(many(1), store, embedder, secrets=Secrets({"KEY": "hunter2hunter2"}))
    assert found["d0"] == Failed("embedding", "ValueError", "key env:KEY refused")


def test_a_full_disk_ends_the_run(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageFailed("disk is full")

    embedder = Counting()
    embed(many(1), store, embedder)
    monkeypatch.setattr(store, "add_sentences", full)
    with pytest.raises(StorageFailed):
        embed(many(2), store, embedder)
