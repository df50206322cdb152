"""Embed the sentences of a corpus once, and keep of each document what the cosines of their pairs come to.

What stays are eight numbers a document: all that `ingest.chunk_coherence` counts, for both kinds of its pairs, exactly.
Vectors would be 420 MB for 100,000 sentences of 384 dimensions, and three seconds whenever the run is opened, for every
row is checked. A vector is in the file only while a document waits for it, so that a run that was stopped embeds no
sentence again. A document with a sentence that got no vector has failed, and is tried again by the next attempt.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from ragtriage.core.chunk_views import PairCosines, SentencesView
from ragtriage.core.identity import hash_json
from ragtriage.core.score import Failed, Undefined
from ragtriage.data.chunk_viewing import ChunkedCorpus
from ragtriage.models.ports import CallFailed
from ragtriage.runs.asking import AskFailed
from ragtriage.runs.execute import Progress
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.store import RunStore
from ragtriage.stats.sentence_pairs import comparable, sentence_pairs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CutDocument", "SentenceEmbedder", "batches_of", "cut_documents", "embed_sentences", "measured_sentences"]

Outcome: TypeAlias = SentencesView | Undefined | Failed
_TEXTS_AT_ONCE, _CHARACTERS_AT_ONCE = 64, 16_000
_GIVE_UP_AFTER = 32
_NOT_BY_A_TEXT = frozenset({"InvalidReply", "TimeoutError", "network", "rate_limited", "server", "timeout"})
_NOTHING_TO_COMPARE = Undefined("it has no pair of sentences within a chunk, or none across a border")


@dataclass(frozen=True, slots=True)
class SentenceEmbedder:
    """Who turns sentences into vectors; `identity` names the space, `at_once` how many calls may be under way.

    `embed` returns one vector a text; AskFailed and CallFailed are failures of these texts, all else ends the run.
    """

    identity: str
    embed: Callable[[Sequence[str]], Awaitable[Sequence[NDArray[np.float32]] | NDArray[np.float32]]]
    at_once: int = 1


@dataclass(frozen=True, slots=True)
class CutDocument:
    """The sentences of one document, and for each of its chunks the indices of its own."""

    sentences: tuple[str, ...]
    chunks: tuple[tuple[int, ...], ...]


def measured_sentences(store: RunStore) -> dict[str, Outcome]:
    """Return what is known of the sentences of each document, by id."""
    return {doc_id: _read(body) for doc_id, body in store.sentences().items()}


def cut_documents(chunked: ChunkedCorpus, known: Mapping[str, Outcome]) -> dict[str, CutDocument]:
    """Return the documents that are still to be measured, in the order of the corpus: those not known, and failed."""
    cut = (name for name in chunked.corpus.documents if name in chunked.spans)
    left = (name for name in cut if isinstance(known.get(name), Failed | None))
    return {name: CutDocument(*chunked.sentences(name)) for name in left}


def batches_of(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts as they are sent: at most 64 and 16,000 characters at once, a longer text alone.

    >>> [len(batch) for batch in batches_of(["x" * 9_000, "y" * 9_000, "z"])]
    [1, 2]
    """
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == _TEXTS_AT_ONCE or size + len(text) > _CHARACTERS_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


async def embed_sentences(
    chunked: ChunkedCorpus, embedder: SentenceEmbedder, *, store: RunStore, secrets: Secrets, progress: Progress
) -> None:
    """Measure what is still to be measured, each batch durable before the next; every text is embedded once.

    Where the embedder fails many times in a row it is not asked again, and all that is left has failed. Raises
    StorageFailed, and what ends a run: JudgeUnavailable, BudgetReached.
    """
    documents = cut_documents(chunked, measured_sentences(store))
    alone = [name for name, one in documents.items() if not comparable(one.chunks)]
    store.add_sentences(dict.fromkeys(alone, _written(_NOTHING_TO_COMPARE)), model="", needed={}, spent=())
    for name in alone:
        del documents[name]
    embedding = _Embedding(documents, embedder, store, secrets, progress)
    embedding.recall()
    texts = embedding.missing()
    if not texts:
        return
    progress.begin(len(texts), 0)
    batches = batches_of(text for text in texts if embedding.wanted(text))
    workers = [asyncio.create_task(embedding.work(batches)) for _ in range(embedder.at_once)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        progress.end()


@dataclass(slots=True)
class _Embedding:
    """The documents that wait, and for which vectors. `lost`: those that failed in this attempt."""

    documents: Mapping[str, CutDocument]
    embedder: SentenceEmbedder
    store: RunStore
    secrets: Secrets
    progress: Progress
    waiting: dict[str, set[str]] = field(init=False)
    wanted_by: dict[str, list[str]] = field(default_factory=dict)
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    stored: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    size: int | None = None
    failures_in_a_row: int = 0

    def __post_init__(self) -> None:
        """Say of every text which documents wait for it."""
        self.waiting = {name: set(one.sentences) for name, one in self.documents.items()}
        for name, one in self.documents.items():
            for text in dict.fromkeys(one.sentences):
                self.wanted_by.setdefault(text, []).append(name)

    def recall(self) -> None:
        """Take up the vectors that an earlier attempt left; what no document waits for is forgotten."""
        import numpy as np  # noqa: PLC0415 - loaded with the first vector

        kept = self.store.vectors(model=self.embedder.identity)
        known = {text: kept.pop(name) for text in self.wanted_by if (name := hash_json(text)) in kept}
        self.stored.update(known)
        rows = [np.frombuffer(base64.b64decode(body), dtype="<f4").astype(np.float32) for body in known.values()]
        self.size = rows[0].size if rows else None
        self._take(list(known), rows, forgotten=kept)

    def missing(self) -> list[str]:
        """Return the texts without a vector, in the order of the documents."""
        return [text for text in self.wanted_by if text not in self.vectors]

    def wanted(self, text: str) -> bool:
        """Say whether a document needs the text that can still be measured in this attempt."""
        return any(name not in self.lost for name in self.wanted_by[text])

    async def work(self, batches: Iterator[list[str]]) -> None:
        """Embed batches until none is left."""
        for batch in batches:
            await self._embed(batch)

    async def _embed(self, texts: list[str]) -> None:
        """Embed texts and keep what comes of them; of a batch that is refused, each half again."""
        texts = [text for text in texts if self.wanted(text)]
        if not texts:
            return None
        if self.failures_in_a_row >= _GIVE_UP_AFTER:
            told = f"the embedder failed {self.failures_in_a_row} times in a row and was not asked any more"
            return self._fail(texts, Failed("embedding", "GivenUp", told))
        try:
            rows = list(await self.embedder.embed(texts))
            self._check(rows, len(texts))
        except (AskFailed, CallFailed) as error:
            self.failures_in_a_row += 1
            if len(texts) > 1 and error.kind not in _NOT_BY_A_TEXT:
                half = len(texts) // 2
                await self._embed(texts[:half])
                return await self._embed(texts[half:])
            return self._fail(texts, Failed("embedding", error.kind, self.secrets.scrub(error.message)))
        self.failures_in_a_row = 0
        self._take(texts, rows)
        for _ in texts:
            self.progress.advance(failed=False)
        return None

    def _check(self, rows: Sequence[NDArray[np.float32]], count: int) -> None:
        sizes = sorted({row.size for row in rows} | ({self.size} if self.size is not None else set()))
        if len(rows) != count or len(sizes) > 1:
            told = f"{len(rows)} vectors of {' and '.join(map(str, sizes))} numbers came for {count} texts"
            raise AskFailed("InvalidReply", f"{told}; all must be of one length")
        self.size = rows[0].size

    def _take(
        self, texts: Sequence[str], rows: Sequence[NDArray[np.float32]], *, forgotten: Iterable[str] = ()
    ) -> None:
        """Measure the documents that have all their vectors now, and keep the vectors that others wait for."""
        self.vectors.update(zip(texts, rows, strict=True))
        ready = []
        for text in texts:
            for name in self.wanted_by[text]:
                self.waiting[name].discard(text)
                if not self.waiting[name]:
                    ready.append(name)
        measured = {name: _written(self._measured(name)) for name in dict.fromkeys(ready)}
        spent = [*forgotten, *(hash_json(text) for text in self._released(measured) if text in self.stored)]
        needed = [text for text in texts if text in self.vectors and text not in self.stored]
        self.store.add_sentences(
            measured,
            model=self.embedder.identity,
            needed={hash_json(text): _encoded(self.vectors[text]) for text in needed},
            spent=spent,
        )
        self.stored.update(needed)

    def _measured(self, name: str) -> SentencesView:
        import numpy as np  # noqa: PLC0415

        one = self.documents[name]
        return sentence_pairs(np.stack([self.vectors[text] for text in one.sentences]), one.chunks)

    def _released(self, measured: Iterable[str]) -> list[str]:
        """Forget the vectors that only these documents waited for, and return their texts."""
        gone = []
        for name in measured:
            for text in dict.fromkeys(self.documents[name].sentences):
                self.wanted_by[text].remove(name)
                if not self.wanted_by[text]:
                    del self.vectors[text]
                    gone.append(text)
        return gone

    def _fail(self, texts: Sequence[str], failed: Failed) -> None:
        """Count every document of these texts as failed."""
        hit = {name for text in texts for name in self.wanted_by[text]} - self.lost
        self.lost |= hit
        body = dict.fromkeys(sorted(hit), _written(failed))
        self.store.add_sentences(body, model=self.embedder.identity, needed={}, spent=())
        for _ in texts:
            self.progress.advance(failed=True)


def _encoded(vector: NDArray[np.float32]) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def _written(outcome: Outcome) -> str:
    return json.dumps({type(outcome).__name__: asdict(outcome)}, ensure_ascii=False, sort_keys=True)


def _read(body: str) -> Outcome:
    ((kind, fields),) = json.loads(body).items()
    if kind == "Undefined":
        return Undefined(**fields)
    if kind == "Failed":
        return Failed(**fields)
    return SentencesView(**{name: PairCosines(**sums) for name, sums in fields.items()})
