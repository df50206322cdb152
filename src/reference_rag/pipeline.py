"""One question through all stages, with everything that happened to it written down."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragtriage.core.clock import Clock
from ragtriage.core.identity import hash_json
from ragtriage.core.records import (
    Chunk,
    ContextItem,
    Cost,
    Ranking,
    Timing,
    Tokens,
    Trace,
    TraceError,
)
from ragtriage.core.system import Override, Question
from reference_rag.context import assemble, in_order
from reference_rag.endpoint import EndpointFailed
from reference_rag.extraction import PredicateExtraction
from reference_rag.generate import Generated, Generator
from reference_rag.languages import detect_language
from reference_rag.linking import Linker
from reference_rag.passages import Passage
from reference_rag.rerank import Candidate, Reranker
from reference_rag.retrieval import Places, Retriever, Searching, ranking
from reference_rag.settings import Settings
from reference_rag.tokens import count_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Pipeline"]


@dataclass(slots=True)
class _Record:
    """What is known of one question so far."""

    clock: Clock
    began_ms: float
    timings: list[Timing] = field(default_factory=list)
    rankings: list[Ranking] = field(default_factory=list)
    cache: dict[str, bool] = field(default_factory=dict)
    context: tuple[ContextItem, ...] | None = None
    context_tokens: tuple[int, int] | None = None
    generated: Generated | None = None
    first_token_ms: float | None = None
    error: TraceError | None = None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time one stage, whether it ends well or not."""
        start = self.clock.monotonic_ms()
        try:
            yield
        finally:
            end = self.clock.monotonic_ms()
            self.timings.append(Timing(stage=name, start_ms=start - self.began_ms, duration_ms=end - start))


class Pipeline:
    """Answers questions about one corpus: `pipeline(question, override=...)` returns a Trace.

    Access is decided before anything is searched and is not written as a predicate: no question can ask for it. Equal
    questions have equal traces, times aside. May be called from several threads at once.
    """

    def __init__(
        self,
        settings: Settings,
        retriever: Retriever,
        *,
        extraction: PredicateExtraction,
        reranker: Reranker | None,
        generator: Generator,
        clock: Clock,
        corpus_identity: str,
        linker: Linker | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self._settings = settings
        self._retriever = retriever
        self._extraction = extraction
        self._reranker = reranker
        self._generator = generator
        self._clock = clock
        self._linker = linker
        self._identity = {"system": settings.identity, "indexed_corpus": corpus_identity}
        if linker is not None:
            self._identity["ontology"] = linker.identity
        self._notes = list(notes)
        self._places = {c.chunk.chunk_id: place for place, c in enumerate(retriever.chunks)}

    def chunks(self) -> tuple[Chunk, ...]:
        """Return every chunk of the index, as it was cut."""
        return tuple(c.chunk for c in self._retriever.chunks)

    @property
    def embed(self) -> Callable[[Sequence[str]], NDArray[np.float32]] | None:
        """Texts as vectors of length 1, in the space that chunks are searched in; None where they are not."""
        embedder = self._retriever.embedder
        return None if embedder is None else embedder.more

    @property
    def bundle(self) -> dict[str, str]:
        """The identity of everything that decides an answer: settings, corpus, models."""
        return {**self._identity, **self._models(None)}

    def __call__(self, question: Question, *, override: Override | None = None) -> Trace:
        """Answer a question; a stage that an endpoint failed is the trace's `error`, with all that came before it."""
        asked_at = self._clock.now()
        changed = override or Override()
        record = _Record(self._clock, self._clock.monotonic_ms())
        with record.stage("query"):
            query = changed.query if changed.query is not None else _rewritten(question.text)
            extracted = changed.predicates if changed.predicates is not None else self._extraction.extract(question)
        language = question.language or detect_language(question.text)
        searching = Searching(query, language, question.principal, extracted)
        try:
            self._answer(question, searching, changed, record)
        except EndpointFailed as error:
            stage = record.timings[-1].stage
            record.error = TraceError(
                stage=stage, type=type(error).__name__, message=str(error), timed_out=error.timed_out
            )
        generated = record.generated
        return Trace(
            trace_id=self._trace_id(question, changed),
            case_id=question.case_id,
            question=question.text,
            asked_at=asked_at,
            principal=question.principal,
            rewrites=(query,),
            entities=self._linker.link(question.text) if self._linker is not None else None,
            predicates=extracted,
            rankings=tuple(record.rankings),
            context=record.context,
            answer=generated.answer if generated else None,
            timings=tuple(record.timings),
            first_token_ms=record.first_token_ms,
            tokens=_tokens(question.text, record),
            cost=self._cost(record),
            cache=record.cache or None,
            models=self._models(generated),
            error=record.error,
            bundle=self.bundle,
            metadata={"notes": self._notes} if self._notes else {},
        )

    def _answer(self, question: Question, searching: Searching, changed: Override, record: _Record) -> None:
        places = self._retrieved(searching, record)
        ranked = self._ranked(places, searching, record, rerank=changed.rerank)
        with record.stage("context"):
            context = changed.context if changed.context is not None else self._assembled(ranked, record)
            record.context = in_order(context, changed.order)
            passages = [self._passage(item) for item in record.context]
        with record.stage("generation"):
            began = self._clock.monotonic_ms()
            record.generated = self._generator.generate(question.text, passages, language=searching.language)
            spent = self._clock.monotonic_ms() - began
        first = record.generated.first_token_ms
        record.first_token_ms = began - record.began_ms + (spent if first is None else first)

    def _retrieved(self, searching: Searching, record: _Record) -> Places:
        """Search each list of the mode, and fuse them where there are two."""
        depth, retriever = self._settings.candidates, self._retriever
        lists: list[Places] = []
        if retriever.embedder is not None:
            with record.stage("embedding"):
                vector, known = retriever.embed(searching.query)
            if known is not None:
                record.cache["embedding"] = known
            with record.stage("dense"):
                found = [] if vector is None else retriever.search_dense(vector, searching, depth=depth)
            lists.append(found)
            record.rankings.append(ranking("dense", found, retriever.chunks))
        if retriever.sparse is not None:
            with record.stage("sparse"):
                found = retriever.search_sparse(searching, depth=depth)
            lists.append(found)
            record.rankings.append(ranking("sparse", found, retriever.chunks))
        if len(lists) == 1:
            return lists[0]
        with record.stage("fusion"):
            fused = retriever.fused(lists, depth=depth)
        record.rankings.append(ranking("fused", fused, retriever.chunks))
        return fused

    def _ranked(self, places: Places, searching: Searching, record: _Record, *, rerank: bool | None) -> Places:
        """Give the candidates their last order: by the reranker, else lifted by soft predicates where there are any."""
        retriever = self._retriever
        if self._reranker is not None and rerank is not False:
            with record.stage("rerank"):
                candidates = [
                    Candidate(retriever.chunks[place], score, retriever.soft_share(place, searching))
                    for place, score in places
                ]
                scores = self._reranker.scores(searching.query, candidates, language=searching.language)
                scored = [(place, score) for (place, _), score in zip(places, scores, strict=True)]
                ranked = sorted(scored, key=lambda item: -item[1])
            record.rankings.append(ranking("reranked", ranked, retriever.chunks))
            return ranked
        if searching.soft:
            lifted = retriever.lifted(places, searching)
            record.rankings.append(ranking("lifted", lifted, retriever.chunks))
            return lifted
        return places

    def _assembled(self, ranked: Places, record: _Record) -> tuple[ContextItem, ...]:
        first = [self._retriever.chunks[place].chunk for place, _ in ranked[: self._settings.context_size]]
        items = assemble(first, context_size=self._settings.context_size, token_budget=self._settings.token_budget)
        before = sum(count_tokens(chunk.text) for chunk in first)
        record.context_tokens = before, sum(count_tokens(item.text) for item in items)
        return items

    def _passage(self, item: ContextItem) -> Passage:
        """Put an item beside what the index knows of it; an item from outside stands for itself."""
        place = self._places.get(item.id)
        if place is None:
            return Passage(item, language=detect_language(item.text))
        known = self._retriever.chunks[place]
        head = known.chunk.metadata.get("table_head")
        return Passage(
            item,
            title=known.document.title,
            section_path=known.chunk.section_path,
            table_head=head if isinstance(head, str) else None,
            language=known.language,
            trusted=known.document.trusted,
        )

    def _cost(self, record: _Record) -> Cost | None:
        """Return what the generator cost, where nothing else may have cost more."""
        reranked = any(timing.stage == "rerank" for timing in record.timings)
        if record.generated is None or (reranked and self._reranker is not None and not self._reranker.costs_nothing):
            return None
        return record.generated.cost

    def _models(self, generated: Generated | None) -> dict[str, str]:
        served = generated.served_model if generated else None
        named: dict[str, str | None] = {
            "embedder": self._retriever.embedder.model if self._retriever.embedder else None,
            "sparse": self._retriever.sparse.model if self._retriever.sparse else None,
            "reranker": self._reranker.model if self._reranker else None,
            "generator": self._generator.model,
            "generator_served": served,
        }
        return {name: model for name, model in named.items() if model is not None}

    def _trace_id(self, question: Question, changed: Override) -> str:
        return hash_json([self.bundle, _plain(question), _plain(changed)])[:24]


def _rewritten(text: str) -> str:
    """Return the question as it is searched: white space folded, in one Unicode form."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _tokens(question: str, record: _Record) -> Tokens | None:
    """Return what the generator counted, else estimates, with the size of the context before and after the cut."""
    if record.generated is None:
        return None
    counted = record.generated.tokens
    read = count_tokens(question) + sum(count_tokens(item.text) for item in record.context or ())
    before, after = record.context_tokens or (None, None)
    return Tokens(
        input=read if counted.input is None else counted.input,
        output=count_tokens(record.generated.answer.text) if counted.output is None else counted.output,
        cached=counted.cached,
        context_before=before,
        context_after=after,
    )


def _plain(value: Any) -> Any:
    """Return records and dataclasses as plain data, for hashing."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    return value.isoformat() if hasattr(value, "isoformat") else value
