"""How far two runs agree, the top of the list counting most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import RunPair


@metric(
    title="Rank-biased overlap",
    unit="expected overlap",
    bounds=(0, 1),
    better="neither",
    source="Webber, Moffat and Zobel 2010, equation 32 (RBO_ext)",
    levels=("chunk", "document"),
)
def rank_overlap(pair: RunPair, *, p: float = 0.9) -> Scores:
    """Overlap of the two lists at each depth, weighted by p^depth and extrapolated past their ends (RBO_ext).

    1 = the same order, 0 = nothing in common; the lists may differ in length. Shapes: ids of [questions] lists twice ->
    values [questions]. Undefined when both lists are empty or their ids are not known. Raises ValueError for a p that
    is not above 0 and below 1.

    >>> from ragtriage.core.views import Rankings
    >>> runs = RunPair(Rankings.of([["a", "b", "c"]], [{}]), Rankings.of([["b", "a", "d"]], [{}]))
    >>> round(rank_overlap(runs, p=0.5)[0].value, 6)
    0.416667
    """
    if not 0 < p < 1:
        raise ValueError(f"p must be above 0 and below 1. Got {p} instead")
    why = "both lists are empty, or their ids are not known"
    if pair.before.ids is None or pair.after.ids is None:
        return Scores.ratio(np.zeros(len(pair)), np.zeros(len(pair)), undefined=why)
    both = list(zip(pair.before.ids, pair.after.ids, strict=True))
    values = np.array([_overlap(a, b, p) for a, b in both], dtype=np.float64)
    return Scores.ratio(values, [bool(a or b) for a, b in both], undefined=why)


def _overlap(one: Sequence[str], other: Sequence[str], p: float) -> float:
    short, long = sorted((one, other), key=len)
    if not short:
        return 0.0
    s, l = len(short), len(long)  # noqa: E741 - the paper's names
    shared, seen_short, seen_long = 0, set[str](), set[str]()
    at_s, total = 0, 0.0
    for depth in range(1, l + 1):
        item = long[depth - 1]
        seen_long.add(item)
        shared += item in seen_short
        if depth <= s:
            seen_short.add(short[depth - 1])
            shared += short[depth - 1] in seen_long
            at_s = shared
        agreement = shared / depth + (at_s * (depth - s) / (s * depth) if depth > s else 0.0)
        total += agreement * p**depth
    value = (1 - p) / p * total + ((shared - at_s) / l + at_s / s) * p**l
    return min(1.0, value)  # identical lists add up to 1 but for rounding
