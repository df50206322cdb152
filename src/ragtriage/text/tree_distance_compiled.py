"""The loop of the tree edit distance, compiled by numba; imported only where that is installed."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["compiled_loop"]


@functools.cache
def compiled_loop() -> Callable[..., None]:
    """Return `fill` as machine code."""
    from numba import njit  # noqa: PLC0415 - an extra, and half a second

    made: Callable[..., None] = njit("void(int64[::1],int64[::1],int64[::1],int64[::1],float64[:,::1])")(fill)
    return made


def fill(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    first_roots: NDArray[np.int64],
    second_roots: NDArray[np.int64],
    costs: NDArray[np.float64],
) -> None:
    """Write the distances of all subtrees in the place of the costs of renaming their roots.

    Each cost is read for the last time just before its distance is known, and new memory takes as long as the work.
    Where one of both is a leaf, the best is to keep the node of the other that is cheapest to rename; larger subtrees
    come first there, as they need the costs of those inside them.
    """
    for x in range(first.size - 1, -1, -1):
        for y in range(second.size - 1, -1, -1):
            if first[x] != x and second[y] != y:
                continue
            least = 1.0
            for a in range(first[x], x + 1):
                for b in range(second[y], y + 1):
                    least = min(least, costs[a, b])
            costs[x, y] = least + (x - first[x]) + (y - second[y])
    forests = np.empty((first.size + 1, second.size + 1))
    for i in first_roots:
        begin = first[i]
        if begin == i:
            continue
        for j in second_roots:
            start = second[j]
            if start == j:
                continue
            forests[begin, start] = 0.0
            for y in range(start, j + 1):
                forests[begin, y + 1] = forests[begin, y] + 1.0
            for x in range(begin, i + 1):
                before, left = first[x], float(x + 1 - begin)
                above, row, skipped, known = forests[x], forests[x + 1], forests[before], costs[x]
                row[start] = left
                for y in range(start, j + 1):
                    on_spine = before == begin and second[y] == start
                    if on_spine and (x == begin or y == start):  # a leaf
                        left = known[y]
                    else:
                        kept = (above[y] if on_spine else skipped[second[y]]) + known[y]
                        left = min(min(kept, above[y + 1] + 1.0), left + 1.0)  # noqa: PLW3301 - the last step waits
                    row[y + 1] = left
                    if on_spine:
                        known[y] = left
