"""Who turns the sentences of a corpus into vectors: the system, in whose space the retriever searches, else a model.

A Python system offers `embed(texts)` beside `chunks()`; for all others, and where it offers none, `[judge] embedding`
names a model. The model pays from the judge's budget, and what it cost is kept among the judge's calls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtriage.core.chunk_views import SentencesView
from ragtriage.core.clock import Clock
from ragtriage.core.configuration import Configuration
from ragtriage.core.errors import BadInput
from ragtriage.core.records import Chunk
from ragtriage.core.score import Failed, Undefined
from ragtriage.data.chunk_viewing import ChunkedCorpus
from ragtriage.data.corpus import Corpus
from ragtriage.runs.embedding import SentenceEmbedder, cut_documents, embed_sentences, measured_sentences
from ragtriage.runs.execute import Progress
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.selection import Selection, parse_name
from ragtriage.runs.store import RunStore
from ragtriage.runs.systems.listed import read_chunks
from ragtriage.runs.systems.opening import Opened
from ragtriage.stats.sentence_pairs import comparable
from ragtriage.workflows.inputs import Inputs
from ragtriage.workflows.judging import embedding_address, open_embedder

if TYPE_CHECKING:
    from ragtriage.models.openai_compatible import OpenAIEmbedder
    from ragtriage.models.ports import Vector

__all__ = ["WAYS_TO_EMBED", "Sentences", "ToEmbed", "embedding_bundle", "stored_sentences", "to_embed"]

_KEY = "ingest.coherence"
_SYSTEM, _NOBODY = "system", "nobody"
_SUPPOSED = (
    "the system was not loaded: every sentence of the corpus is supposed to stand in a chunk, and none to be embedded "
    "by the system's own embed(), which would cost nothing here"
)
WAYS_TO_EMBED = (
    "nothing turns sentences into vectors; offer embed(texts) beside chunks() in a Python system, or name a model with "
    "[judge] embedding = 'openai/NAME'"
)


def embedding_bundle(inputs: Inputs, opened: Opened | None) -> dict[str, str]:
    """Return who makes vectors of sentences, for the bundle; nothing where none are needed or it is not known yet."""
    if opened is None or not _wanted(inputs.selection):
        return {}
    if opened.embed is not None:
        return {_KEY: _SYSTEM}
    judge = inputs.configuration.judge
    if judge.embedding is None:
        return {_KEY: _NOBODY}
    return {_KEY: f"{judge.embedding} at {embedding_address(judge).identity}"}


@dataclass(frozen=True, slots=True)
class ToEmbed:
    """Texts that the model of the configuration would embed, and what was supposed of them."""

    texts: tuple[str, ...]
    assumed: tuple[str, ...] = ()


def to_embed(inputs: Inputs, store: RunStore | None) -> ToEmbed | None:
    """Return the sentences that a model would be paid for; None where it is asked for none. Loads no system.

    `store`: the run that is continued. Raises BadInput for faulty chunks.
    """
    configuration, corpus = inputs.configuration, inputs.corpus
    if corpus is None or configuration.judge.embedding is None or not _wanted(inputs.selection):
        return None
    known: Mapping[str, SentencesView | Undefined | Failed] = {}
    chunks, assumed = _listed(inputs, corpus)
    if store is not None:
        if store.plan.bundle.get(_KEY) == _SYSTEM:
            return None
        listed, known, assumed = store.chunks(), measured_sentences(store), ()
        chunks = corpus.chunks if listed is None else listed
    if chunks is None:
        return None
    cut = cut_documents(ChunkedCorpus(corpus, chunks), known).values()
    texts = dict.fromkeys(text for one in cut if assumed or comparable(one.chunks) for text in one.sentences)
    return ToEmbed(tuple(texts), assumed)


def _listed(inputs: Inputs, corpus: Corpus) -> tuple[tuple[Chunk, ...] | None, tuple[str, ...]]:
    """Return the chunks as far as they are known without the system, and what was supposed of them."""
    system = inputs.configuration.system
    if system.python is None:
        if system.chunks is None:
            return corpus.chunks, ()
        return read_chunks(inputs.settings.base / system.chunks, corpus.documents), ()
    documents = corpus.documents.values()
    whole = tuple(Chunk(chunk_id=d.doc_id, doc_id=d.doc_id, start=0, end=len(d.text), text=d.text) for d in documents)
    return whole, (_SUPPOSED,)


def stored_sentences(
    store: RunStore, selection: Selection
) -> Mapping[str, SentencesView | Undefined | Failed] | Undefined | None:
    """Return what a run found out about the sentences of its documents; None where no metric needs it."""
    if not _wanted(selection):
        return None
    who = store.plan.bundle.get(_KEY)
    if who is None:
        return Undefined("this run embedded no sentences")
    return Undefined(WAYS_TO_EMBED) if who == _NOBODY else measured_sentences(store)


@dataclass(frozen=True)
class Sentences:
    """What an attempt has to embed; `of` makes one, None where nothing is to be embedded."""

    chunked: ChunkedCorpus
    inputs: Inputs
    opened: Opened
    secrets: Secrets
    clock: Clock
    progress: Progress

    @classmethod
    def of(
        cls, inputs: Inputs, opened: Opened, *, secrets: Secrets, clock: Clock, progress: Progress
    ) -> Sentences | None:
        """Say what there is to embed, and refuse what cannot be before a question is asked.

        Raises BadInput where a metric of it was asked for by its name and nobody can embed, MissingExtra where the
        model cannot be reached from here.
        """
        if not _wanted(inputs.selection):
            return None
        if opened.embed is None and inputs.configuration.judge.embedding is None:
            _refuse_asked(inputs.selection, inputs.configuration)
            return None
        if opened.embed is None:
            _open(inputs.configuration, secrets, clock, spent_usd=0.0)  # what is wrong with it is said now
        corpus, listed = inputs.corpus, opened.system.chunks()
        chunks = listed if listed is not None or corpus is None else corpus.chunks
        if corpus is None or chunks is None:
            return None
        return cls(ChunkedCorpus(corpus, chunks), inputs, opened, secrets, clock, progress)

    async def embed(self, store: RunStore) -> None:
        """Embed what is missing and keep what comes of it; raises what ends a run."""
        if self.opened.embed is not None:
            return await self._by(SentenceEmbedder(_SYSTEM, self.opened.embed), store)
        spent = math.fsum(call.cost_usd or 0.0 for call in store.judge_calls().values())
        model = _open(self.inputs.configuration, self.secrets, self.clock, spent_usd=spent)
        paying = _Paying(model, store)
        try:
            return await self._by(
                SentenceEmbedder(model.identity, paying.embed, self.inputs.configuration.judge.concurrency), store
            )
        finally:
            await model.close()

    async def _by(self, embedder: SentenceEmbedder, store: RunStore) -> None:
        await embed_sentences(self.chunked, embedder, store=store, secrets=self.secrets, progress=self.progress)


@dataclass
class _Paying:
    """A model whose costs are durable before its vectors are used, so that a resumed run knows all that was spent."""

    model: OpenAIEmbedder
    store: RunStore
    noted_usd: float = 0.0

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text."""
        from ragtriage.judges.calling import unanswered  # noqa: PLC0415 - loaded where a model is asked

        try:
            return await self.model.embed(texts)
        finally:
            cost, self.noted_usd = self.model.paid_usd - self.noted_usd, self.model.paid_usd
            if cost > 0:
                self.store.add_calls([unanswered(self.model.identity, "embedding", "vectors", cost)])


def _open(configuration: Configuration, secrets: Secrets, clock: Clock, *, spent_usd: float) -> OpenAIEmbedder:
    from ragtriage.models.budget import Budget  # noqa: PLC0415

    judge = configuration.judge
    budget = Budget(max_usd=judge.max_cost_usd, spent_usd=spent_usd)
    return open_embedder(judge, secrets=secrets.values, clock=clock, budget=budget)


def _refuse_asked(selection: Selection, configuration: Configuration) -> None:
    gated = {parse_name(rule.metric).name for rule in configuration.gate}
    for selected in selection.metrics:
        if selected.metric.seen is SentencesView and (selected.asked or selected.name in gated):
            raise BadInput(f"{selected.name} cannot run: {WAYS_TO_EMBED}")


def _wanted(selection: Selection) -> bool:
    """Say whether a chosen metric needs vectors of sentences."""
    return any(selected.metric.seen is SentencesView for selected in selection.metrics)
