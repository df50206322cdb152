"""The rankings of a run as columns: final lists, candidate pools, and lists before and after a step."""

from __future__ import annotations

import typing
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
from ragtriage.runs.viewing_query import QUERY_PAIRS, query_pair
from ragtriage.runs.viewing_ranked import EMPTY, Row, ap_of, chunk_grades, columns, row_of, why_none
from ragtriage.runs.viewing_stages import final_hits, fusion, lanes, pool, rerank, without_repeats

__all__ = ["Missing", "RankedRun"]

Missing: TypeAlias = Undefined | Failed
_Hits: TypeAlias = tuple[Hit, ...]
_Chosen: TypeAlias = Callable[[Trace], Sequence[_Hits] | Missing]
_Reasons: TypeAlias = tuple[Missing | None, ...]
_Placed: TypeAlias = tuple[Row, Missing | None]
_LEVELS: tuple[Level, ...] = typing.get_args(Level)
_NO_RANKINGS = Undefined("the trace records no rankings")


@dataclass(frozen=True)
class RankedRun:
    """The traces of a run with what is relevant to each case, laid out as columns when they are first asked for."""

    traces: Sequence[Trace | Failed]
    golds: Sequence[Gold]
    places: Places
    min_overlap: float
    _columns: dict[type[Any], dict[Level, tuple[Any, _Reasons]]] = field(default_factory=dict)

    def table(self, kind: type[Any], level: Level) -> tuple[Any, _Reasons]:
        """Return the columns of a kind, and for each case why its row means nothing (None where it does)."""
        if kind not in self._columns:  # all levels at once: where results stand is looked up once
            self._columns[kind] = self._pairs(kind) if issubclass(kind, RankingPair) else self._singles(kind)
        return self._columns[kind][level]

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

    @cached_property
    def _graded(self) -> tuple[dict[str, int], ...]:
        """The grades of chunks by id, for each case; none where the system lists no chunks."""
        return tuple(self._graded_chunks(gold) for gold in self.golds)

    def _singles(self, kind: type[Rankings]) -> dict[Level, tuple[Rankings, _Reasons]]:
        chosen: dict[type, _Chosen] = {Rankings: _final, Candidates: _pool}
        found: dict[Level, tuple[Rankings, _Reasons]] = {}
        for level, rows in self._rows(chosen[kind], 1).items():
            reasons = tuple(why for ((_, why),) in rows)
            found[level] = columns([row for ((row, _),) in rows], level=level, kind=kind), reasons
        return found

    def _pairs(self, kind: type[RankingPair]) -> dict[Level, tuple[RankingPair, _Reasons]]:
        found: dict[Level, tuple[RankingPair, _Reasons]] = {}
        for level, rows in self._rows(self._sides(kind), 2).items():
            free = kind in QUERY_PAIRS  # other words may bring other candidates
            reasons = tuple(_why_no_pair(*before, *after, free=free) for before, after in rows)
            sides = [
                columns(
                    [EMPTY if why else row[side][0] for row, why in zip(rows, reasons, strict=True)],
                    level=level,
                    kind=Rankings,
                )
                for side in (0, 1)
            ]
            found[level] = kind(*sides), reasons
        return found

    def _sides(self, kind: type[RankingPair]) -> _Chosen:
        def fused(trace: Trace) -> tuple[_Hits, _Hits] | None:
            return fusion(trace, self.strongest_lane) if self.strongest_lane is not None else None

        if kind in QUERY_PAIRS:
            return lambda trace: query_pair(kind, trace)
        chosen: dict[type, tuple[Callable[[Trace], tuple[_Hits, _Hits] | None], str]] = {
            FusionPair: (fused, "the trace records no fused ranking with its single lists"),
            RerankPair: (rerank, "the trace records no reranking"),
        }
        both, reason = chosen[kind]

        def choose(trace: Trace) -> tuple[_Hits, _Hits] | Undefined:
            found = both(trace)
            return Undefined(reason) if found is None else found

        return choose

    def _rows(self, choose: _Chosen, count: int) -> dict[Level, list[list[_Placed]]]:
        """Return by level for each case the rows of the lists chosen from its trace, `count` of them."""
        found: dict[Level, list[list[_Placed]]] = {level: [] for level in _LEVELS}
        for index, trace in enumerate(self.traces):
            lists = trace if isinstance(trace, Failed) else choose(trace)
            if isinstance(lists, Failed | Undefined):
                for rows in found.values():
                    rows.append([(EMPTY, lists)] * count)
                continue
            placed = [(self.passages(hits), [hit.score for hit in hits]) for hits in lists]
            for level, rows in found.items():
                rows.append([self._row(index, level, *one) for one in placed])
        return found

    def _row(self, index: int, level: Level, passages: list[Passage], scores: list[float | None]) -> _Placed:
        gold = self.golds[index]
        listed = None if self.places.chunks is None else self.places.chunk
        reason = why_none(level, gold, passages, listed=listed)
        if reason is not None:
            return EMPTY, reason
        grades = self._graded[index] if level == "chunk" else None
        return row_of(level, gold, passages, scores, min_overlap=self.min_overlap, grades=grades), None

    def _graded_chunks(self, gold: Gold) -> dict[str, int]:
        chunks = [c for doc_id in gold.spans_by_document for c in self.places.chunks_of.get(doc_id, ())]
        placed = [(c.chunk_id, Passage(c.chunk_id, c.doc_id, c.start, c.end)) for c in chunks]
        return chunk_grades(gold, placed, min_overlap=self.min_overlap)


def _final(trace: Trace) -> tuple[_Hits] | Undefined:
    hits = final_hits(trace)
    return _NO_RANKINGS if hits is None else (hits,)


def _pool(trace: Trace) -> tuple[_Hits] | Undefined:
    hits = pool(trace)
    return _NO_RANKINGS if hits is None else (hits,)


def _why_no_pair(
    before: Row, why: Missing | None, after: Row, why_too: Missing | None, *, free: bool
) -> Missing | None:
    """Say why two rows are no pair: one means nothing, or a step brought in results that it was not given."""
    if why is not None or why_too is not None:
        return why or why_too
    strange = set(after.ids) ^ set(before.ids)
    if strange and not free:
        return Undefined(f"result {min(strange)!r} was not among the candidates")
    return None
