"""How far two runs agree on the order of every pair of results."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import RunPair


@metric(
    title="Kendall's tau",
    unit="rank correlation",
    bounds=(-1, 1),
    better="neither",
    source="Kendall 1945 (tau-b)",
    levels=("chunk", "document"),
)
def kendall_tau(pair: RunPair) -> Scores:
    """Kendall's tau-b over the items of either list; an item that a list lacks is tied with its others past its end.

    1 = the same order, -1 = the opposite. Shapes: ids of [questions] lists twice -> values [questions]. Undefined when
    both lists are empty, when either orders no pair of items, or when their ids are not known.

    >>> from ragtriage.core.views import Rankings
    >>> runs = RunPair(Rankings.of([["a", "b", "c"]], [{}]), Rankings.of([["a", "c", "b"]], [{}]))
    >>> round(kendall_tau(runs)[0].value, 6)
    0.333333
    """
    why = "the lists are empty, order no pair of items, or their ids are not known"
    if pair.before.ids is None or pair.after.ids is None:
        return Scores.ratio(np.zeros(len(pair)), np.zeros(len(pair)), undefined=why)
    taus = [_tau(a, b) for a, b in zip(pair.before.ids, pair.after.ids, strict=True)]
    return Scores.ratio([tau or 0.0 for tau in taus], [tau is not None for tau in taus], undefined=why)


def _tau(one: Sequence[str], other: Sequence[str]) -> float | None:
    items = list(dict.fromkeys([*one, *other]))
    x, y = _places(items, one), _places(items, other)
    agreeing, tied_x, tied_y = 0, 0, 0
    for i in range(len(items) - 1):
        dx, dy = np.sign(x[i + 1 :] - x[i]), np.sign(y[i + 1 :] - y[i])
        agreeing += int((dx * dy).sum())
        tied_x += int((dx == 0).sum())
        tied_y += int((dy == 0).sum())
    pairs = len(items) * (len(items) - 1) // 2
    if pairs in (tied_x, tied_y):
        return None
    tau = agreeing / math.sqrt((pairs - tied_x) * (pairs - tied_y))
    return max(-1.0, min(1.0, tau))


def _places(items: Sequence[str], ranked: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    place = {item: rank for rank, item in enumerate(ranked)}
    return np.array([place.get(item, len(ranked)) for item in items], dtype=np.int64)
