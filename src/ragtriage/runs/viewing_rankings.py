"""The rankings of a run as columns: final lists, candidate pools, and lists before and after a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from ragtriage.core.declare import Level
from ragtriage.core.records import Hit, Trace
from ragtriage.core.score import Failed, Undefined
from ragtriage.core.views import Candidates, FusionPair, RankingPair, Rankings, RerankPair
from ragtriage.data.relevance import Gold, Passage
from ragtriage.runs.viewing_places import Places
from ragtriage.runs.viewing_ranked import EMPTY, Row, ap_of, chunk_grades, columns, row_of, why_none
from ragtriage.runs.viewing_stages import final_hits, fusion, lanes, pool, rerank, without_repeats

__all__ = ["Missing", "RankedRun"]

Missing: TypeAlias = Undefined | Failed
_Hits: TypeAlias = tuple[Hit, ...]
_Chosen: TypeAlias = Callable[[Trace], _Hits | Undefined]
_Reasons: TypeAlias = tuple[Missing | None, ...]
_NO_RANKINGS = Undefined("the trace records no rankings")


@dataclass(frozen=True)
class RankedRun:
    """The traces of a run with what is relevant to each case, laid out as columns when they are first asked for."""

    traces: Sequence[Trace | Failed]
    golds: Sequence[Gold]
    places: Places
    min_overlap: float
    _columns: dict[tuple[str, Level], tuple[Any, _Reasons]] = field(default_factory=dict)

    def table(self, kind: type[Any], level: Level) -> tuple[Any, _Reasons]:
        """Return the columns of a kind, and for each case why its row means nothing (None where it does)."""
        key = (kind.__name__, level)
        if key not in self._columns:
            self._columns[key] = self._pair(kind, level) if issubclass(kind, RankingPair) else self._single(kind, level)
        return self._columns[key]

    def final_row(self, index: int, level: Level) -> tuple[Row, Missing | None]:
        """Return one case's final ranking at a level."""
        return self._row(index, _final, level)

    def passages(self, hits: _Hits) -> list[Passage]:
        """Return where each result stands."""
        return [self.places.passage(hit) for hit in hits]

    @cached_property
    def strongest_lane(self) -> str | None:
        """The single list with the highest mean average precision, by document; None where nothing was fused."""
        totals: dict[str, list[float]] = {}
        for trace, gold in zip(self.traces, self.golds, strict=True):
            for lane in () if isinstance(trace, Failed) else lanes(trace):
                passages = self.passages(without_repeats(lane.hits))
                row = row_of("document", gold, passages, [None] * len(passages), min_overlap=self.min_overlap)
                precision = ap_of(row)
                totals.setdefault(lane.stage, []).extend([] if precision is None else [precision])
        means = {stage: sum(values) / len(values) if values else 0.0 for stage, values in totals.items()}
        return max(means, key=means.__getitem__, default=None)

    def _single(self, kind: type[Rankings], level: Level) -> tuple[Rankings, _Reasons]:
        chosen: dict[type, _Chosen] = {Rankings: _final, Candidates: _pool}
        rows, reasons = self._rows(chosen[kind], level)
        return columns(rows, level=level, kind=kind), reasons

    def _pair(self, kind: type[RankingPair], level: Level) -> tuple[RankingPair, _Reasons]:
        before, after = self._sides(kind)
        (first, why), (second, why_too) = self._rows(before, level), self._rows(after, level)
        reasons = tuple(map(_why_no_pair, first, second, why, why_too))
        first = [EMPTY if reason else row for row, reason in zip(first, reasons, strict=True)]
        second = [EMPTY if reason else row for row, reason in zip(second, reasons, strict=True)]
        both = columns(first, level=level, kind=Rankings), columns(second, level=level, kind=Rankings)
        return kind(*both), reasons

    def _sides(self, kind: type[RankingPair]) -> tuple[_Chosen, _Chosen]:
        def fused(trace: Trace) -> tuple[_Hits, _Hits] | None:
            return fusion(trace, self.strongest_lane) if self.strongest_lane is not None else None

        chosen: dict[type, tuple[Callable[[Trace], tuple[_Hits, _Hits] | None], str]] = {
            FusionPair: (fused, "the trace records no fused ranking with its single lists"),
            RerankPair: (rerank, "the trace records no reranking"),
        }
        both, reason = chosen[kind]

        def side(place: int) -> _Chosen:
            def choose(trace: Trace) -> _Hits | Undefined:
                found = both(trace)
                return Undefined(reason) if found is None else found[place]

            return choose

        return side(0), side(1)

    def _rows(self, choose: _Chosen, level: Level) -> tuple[list[Row], _Reasons]:
        pairs = [self._row(index, choose, level) for index in range(len(self.golds))]
        return [row for row, _ in pairs], tuple(why for _, why in pairs)

    def _row(self, index: int, choose: _Chosen, level: Level) -> tuple[Row, Missing | None]:
        trace, gold = self.traces[index], self.golds[index]
        if isinstance(trace, Failed):
            return EMPTY, trace
        hits = choose(trace)
        if isinstance(hits, Undefined):
            return EMPTY, hits
        passages = self.passages(hits)
        listed = None if self.places.chunks is None else self.places.chunk
        reason = why_none(level, gold, passages, listed=listed)
        if reason is not None:
            return EMPTY, reason
        grades = self._graded_chunks(gold) if level == "chunk" else None
        scores = [hit.score for hit in hits]
        return row_of(level, gold, passages, scores, min_overlap=self.min_overlap, grades=grades), None

    def _graded_chunks(self, gold: Gold) -> dict[str, int]:
        chunks = [c for doc_id in gold.spans_by_document for c in self.places.chunks_of.get(doc_id, ())]
        placed = [(c.chunk_id, Passage(c.chunk_id, c.doc_id, c.start, c.end)) for c in chunks]
        return chunk_grades(gold, placed, min_overlap=self.min_overlap)


def _final(trace: Trace) -> _Hits | Undefined:
    hits = final_hits(trace)
    return _NO_RANKINGS if hits is None else hits


def _pool(trace: Trace) -> _Hits | Undefined:
    hits = pool(trace)
    return _NO_RANKINGS if hits is None else hits


def _why_no_pair(before: Row, after: Row, why: Missing | None, why_too: Missing | None) -> Missing | None:
    """Say why two rows are no pair: one means nothing, or a step brought in results that it was not given."""
    if why is not None or why_too is not None:
        return why or why_too
    strange = set(after.ids) ^ set(before.ids)
    if strange:
        return Undefined(f"result {min(strange)!r} was not among the candidates")
    return None
