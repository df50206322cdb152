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

    made: Callable[..., None] = njit("void(int64[::1],int64[::1],int64[::1],int64[::1],float64[:,::1],float64[:,::1])")(
        fill
    )
    return made


def fill(  # noqa: PLR0917 - numba compiles a call by places
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    first_roots: NDArray[np.int64],
    second_roots: NDArray[np.int64],
    costs: NDArray[np.float64],
    distances: NDArray[np.float64],
) -> None:
    """Fill in the distances of all subtrees.

    Where one of both is a leaf, the best is to keep the node of the other that is cheapest to rename.
    """
    for x in range(first.size):
        for y in range(second.size):
            if first[x] != x and second[y] != y:
                continue
            least = 1.0
            for a in range(first[x], x + 1):
                for b in range(second[y], y + 1):
                    least = min(least, costs[a, b])
            distances[x, y] = least + (x - first[x]) + (y - second[y])
    forests = np.zeros((first.size + 1, second.size + 1))
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
                forests[x + 1, start] = forests[x, start] + 1.0
                before = first[x]
                if before != begin:
                    for y in range(start, j + 1):
                        kept = forests[before, second[y]] + distances[x, y]
                        forests[x + 1, y + 1] = min(forests[x, y + 1] + 1.0, forests[x + 1, y] + 1.0, kept)
                    continue
                for y in range(start, j + 1):
                    best = min(forests[x, y + 1], forests[x + 1, y]) + 1.0
                    if second[y] == start:
                        distances[x, y] = best = min(best, forests[x, y] + costs[x, y])
                    else:
                        best = min(best, forests[begin, second[y]] + distances[x, y])
                    forests[x + 1, y + 1] = best
