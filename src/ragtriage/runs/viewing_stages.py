"""Which of the rankings of a trace plays which part: lanes, fused list, candidate pool, reranked and final list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragtriage.core.records import Hit, Ranking, Trace

__all__ = [
    "ALONE", "FUSED", "HYDE", "RAW", "REWRITE", "RM3", "SEARCHES", "final_hits", "fusion", "lanes", "pool",
    "ranking_of", "recorded", "rerank", "rewrites_alone", "without_repeats",
]  # fmt: skip

FUSED = "fused"
RAW = "raw"
RM3 = "rm3"
HYDE = "hyde"
REWRITE = "rewrite:"
ALONE = "alone:"
SEARCHES = "searches"
_PROBES = (RAW, RM3)
_RERANK = "rerank"


def recorded(trace: Trace) -> tuple[Ranking, ...] | None:
    """Return the rankings of the trace in order, without those that were made only to compare forms of the question.

    These are named `raw`, `rm3`, and `alone:1` ... for each rewrite.
    """
    if trace.rankings is None:
        return None
    return tuple(r for r in trace.rankings if r.stage not in _PROBES and not r.stage.startswith(ALONE))


def ranking_of(trace: Trace, stage: str) -> tuple[Hit, ...] | None:
    """Return the last ranking of a name without repeats; None where the trace has none."""
    found = [ranking for ranking in trace.rankings or () if ranking.stage == stage]
    return without_repeats(found[-1].hits) if found else None


def rewrites_alone(trace: Trace) -> tuple[tuple[Hit, ...], ...] | None:
    """Return what each rewrite found alone, in the order of the rewrites; None where not each has its own ranking.

    That of a rewrite is `alone:N`, which asking again leaves, else `rewrite:N`, which a system records itself.
    """
    found = []
    for number in range(1, len(trace.rewrites or ()) + 1):
        hits = ranking_of(trace, f"{ALONE}{number}")
        hits = ranking_of(trace, f"{REWRITE}{number}") if hits is None else hits
        if hits is None:
            return None
        found.append(hits)
    return tuple(found) or None


def without_repeats(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Keep the first of each id.

    >>> [hit.id for hit in without_repeats([Hit(id="a"), Hit(id="b"), Hit(id="a")])]
    ['a', 'b']
    """
    found = tuple(hits)
    ids = [hit.id for hit in found]
    if len(set(ids)) == len(ids):
        return found
    first = dict(zip(reversed(ids), reversed(found), strict=True))
    return tuple(first[name] for name in dict.fromkeys(ids))


def final_hits(trace: Trace) -> tuple[Hit, ...] | None:
    """Return the last ranking without repeats, empty where nothing came; None where no rankings were recorded."""
    rankings = recorded(trace)
    if rankings is None:
        return None
    return without_repeats(rankings[-1].hits) if rankings else ()


def lanes(trace: Trace) -> tuple[Ranking, ...]:
    """Return the single lists that were fused: those before the one named `fused`; empty where there is none."""
    rankings = recorded(trace) or ()
    place = _place_of(rankings, FUSED)
    return () if place is None else rankings[:place]


def pool(trace: Trace) -> tuple[Hit, ...] | None:
    """Return the candidates in the order in which they were handed on, without repeats; None where not recorded.

    Where lists were fused: the fused list, then what else stood in a lane. Else the list before the last, or the only
    one.
    """
    rankings = recorded(trace)
    if rankings is None:
        return None
    place = _place_of(rankings, FUSED)
    if place is not None:
        return without_repeats(hit for ranking in (rankings[place], *rankings[:place]) for hit in ranking.hits)
    handed_on = rankings[-2:-1] or rankings
    return without_repeats(hit for ranking in handed_on for hit in ranking.hits)


def fusion(trace: Trace, lane: str) -> tuple[tuple[Hit, ...], tuple[Hit, ...]] | None:
    """Return one lane and the fused list over the same candidates, each followed by the rest of the pool.

    None where the trace records no such lane or no fused list.
    """
    rankings = recorded(trace) or ()
    place = _place_of(rankings, FUSED)
    if place is None:
        return None
    single = next((ranking for ranking in rankings[:place] if ranking.stage == lane), None)
    if single is None:
        return None
    everything = pool(trace) or ()
    return without_repeats((*single.hits, *everything)), everything


def rerank(trace: Trace) -> tuple[tuple[Hit, ...], tuple[Hit, ...]] | None:
    """Return the list that the reranker was given and the one it returned, followed by what it cut off.

    The reranker's list is the last whose name begins with `rerank`, else the last after the fused one. None where the
    trace records no such list with one before it.
    """
    rankings = recorded(trace) or ()
    places = [i for i, ranking in enumerate(rankings) if ranking.stage.startswith(_RERANK)]
    if places:
        place = places[-1]
    elif (fused := _place_of(rankings, FUSED)) is not None:
        place = len(rankings) - 1 if fused < len(rankings) - 1 else 0
    else:
        place = 0
    if place == 0:
        return None
    before = without_repeats(rankings[place - 1].hits)
    return before, without_repeats((*rankings[place].hits, *before))


def _place_of(rankings: Sequence[Ranking], stage: str) -> int | None:
    return next((i for i, ranking in enumerate(rankings) if ranking.stage == stage), None)
