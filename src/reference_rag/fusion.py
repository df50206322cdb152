"""Several rankings made one: reciprocal rank fusion, which looks at ranks and never at scores."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["RRF_K", "reciprocal_rank_fusion"]

RRF_K = 60


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]], *, k: int = RRF_K) -> list[tuple[str, float]]:
    """Return (id, sum of 1 / (k + rank)) over the lists that hold it, best first (Cormack et al. 2009).

    An id that repeats inside one list counts once, at its first place, and takes no rank from those behind it. Equal
    sums are ordered by the first list that holds the id, then by its place there.

    >>> fused = reciprocal_rank_fusion([["d3", "d1", "d2"], ["d2", "d3", "d4"]])
    >>> [(name, round(score, 5)) for name, score in fused[:2]]
    [('d3', 0.03252), ('d2', 0.03227)]
    """
    sums: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(dict.fromkeys(ranking), start=1):
            sums[name] = sums.get(name, 0.0) + 1.0 / (k + rank)
    return sorted(sums.items(), key=lambda item: -item[1])
