"""What rewriting did to a question: its search as it was put, as it was rewritten, and by what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ragtriage.core.query_views import (
    ExpansionPair,
    FloorPair,
    HydePair,
    IntentView,
    MultiQueryView,
    Rm3Pair,
    RouteView,
)
from ragtriage.core.rankings import RankingPair
from ragtriage.core.records import Case, Hit, Trace
from ragtriage.core.score import Failed, Undefined
from ragtriage.data.relevance import Gold, Passage, found_at
from ragtriage.runs.viewing_ranked import why_none
from ragtriage.runs.viewing_stages import HYDE, RAW, RM3, SEARCHES, final_hits, ranking_of, rewrites_alone

__all__ = ["QUERY_PAIRS", "intent_view", "multi_query_view", "query_pair", "route_view"]

Missing: TypeAlias = Undefined | Failed
_Hits: TypeAlias = tuple[Hit, ...]
_Side: TypeAlias = Callable[[Trace], _Hits | Missing]


def query_pair(kind: type[RankingPair], trace: Trace) -> tuple[_Hits, _Hits] | Missing:
    """Return the rankings before and after, or why there is none; KeyError for a type that is no pair of forms."""
    sides = []
    for side in QUERY_PAIRS[kind]:
        hits = side(trace)
        if isinstance(hits, Undefined | Failed):
            return hits
        sides.append(hits)
    return sides[0], sides[1]


def multi_query_view(
    gold: Gold, trace: Trace, passages_of: Callable[[_Hits], Sequence[Passage]], *, min_overlap: float
) -> MultiQueryView | Missing:
    """Return what each rewrite found of the needed groups."""
    if (failed := _failed(trace, "alone:")) is not None:
        return failed
    needed = frozenset(group.name for group in gold.needed)
    lists = rewrites_alone(trace)
    if lists is None:
        return MultiQueryView(needed, None)
    found = []
    for hits in lists:
        passages = passages_of(hits)
        if (why := why_none("evidence" if gold.has_spans else "document", gold, passages, listed=None)) is not None:
            return why
        found.append({name: place + 1 for name, place in found_at(gold, passages, min_overlap=min_overlap).items()})
    return MultiQueryView(needed, tuple(found))


def intent_view(case: Case, trace: Trace) -> IntentView:
    """Return the intent of a case and the one that was recognised."""
    return IntentView(case.intent, trace.intent)


def route_view(case: Case, trace: Trace) -> RouteView:
    """Return where a question belongs and where it was sent."""
    return RouteView(case.expected.route, trace.route)


def _raw(trace: Trace) -> _Hits | Missing:
    return _searched(trace, RAW, "the trace records no ranking of the raw question")


def _rm3(trace: Trace) -> _Hits | Missing:
    return _searched(trace, RM3, "the trace records no ranking of the question expanded by RM3")


def _hyde(trace: Trace) -> _Hits | Missing:
    return _searched(trace, HYDE, "the trace records no ranking of a hypothetical answer")


def _rewritten(trace: Trace) -> _Hits | Missing:
    """Return the final ranking, where the question was searched in other words than it was put in."""
    if trace.rewrites is None:
        return Undefined("the trace records no rewrites")
    if all(_folded(text) == _folded(trace.question) for text in trace.rewrites):
        return Undefined("the question was not rewritten")
    hits = final_hits(trace)
    return Undefined("the trace records no rankings") if hits is None else hits


def _searched(trace: Trace, stage: str, reason: str) -> _Hits | Missing:
    hits = ranking_of(trace, stage)
    if hits is not None:
        return hits
    return _failed(trace, stage) or Undefined(reason)


def _failed(trace: Trace, stage: str) -> Failed | None:
    """Return why a search that was asked for brought nothing, where one failed."""
    told = trace.metadata.get(SEARCHES)
    failures = told.get("failed") if isinstance(told, dict) else None
    for name, why in sorted(failures.items()) if isinstance(failures, dict) else ():
        if name == stage or (stage.endswith(":") and name.startswith(stage)):
            return Failed("query", "search", f"{name}: {why}")
    return None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


QUERY_PAIRS: dict[type[RankingPair], tuple[_Side, _Side]] = {
    ExpansionPair: (_raw, _rewritten),
    HydePair: (_raw, _hyde),
    Rm3Pair: (_raw, _rm3),
    FloorPair: (_rm3, _rewritten),
}
