"""Two runs on the same cases: interval and test of the difference, and McNemar's test for pass and fail."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtriage.stats.bootstrap import bootstrap_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["mcnemar", "paired_bootstrap", "random_signs", "randomisation_test"]

_EXACT_LIMIT = 16  # up to 2^16 sign patterns are tried one by one
_BLOCK_CELLS = 4_000_000
_EQUAL = 1e-12  # sums of the same numbers in another order differ by less


def paired_bootstrap(
    base: ArrayLike,
    candidate: ArrayLike,
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
    clusters: Sequence[str] | None = None,
    indices: NDArray[np.integer] | None = None,
) -> tuple[float, float]:
    """Return the bootstrap interval of the mean of candidate - base over the same cases; both float [cases].

    Raises ValueError for columns of different length and for no cases.

    >>> paired_bootstrap([0.0, 0.5], [0.5, 1.0], resamples=100, seed=1)
    (0.5, 0.5)
    """
    return bootstrap_mean(
        _differences(base, candidate), resamples=resamples, seed=seed, level=level, clusters=clusters, indices=indices
    )


def randomisation_test(
    base: ArrayLike,
    candidate: ArrayLike,
    *,
    resamples: int,
    seed: int,
    signs: NDArray[np.floating] | None = None,
) -> float:
    """Return the two-sided p that the runs are exchangeable case by case: which run gave which value is chance.

    Exact for up to 16 cases that differ; else `resamples` random swaps, counted with the observed one, so that p is
    never 0. `signs` float [resamples, cases] of -1 and 1 replaces the drawn ones. Raises ValueError for no cases.

    >>> randomisation_test([0, 0, 0], [1, 1, 1], resamples=100, seed=1)
    0.25
    """
    import numpy as np  # noqa: PLC0415

    differences = _differences(base, candidate)
    if not len(differences):
        raise ValueError("a test needs at least one pair")
    moved = differences if signs is not None else differences[differences != 0]
    observed = abs(float(moved.sum()))
    least = observed - _EQUAL * max(float(np.abs(moved).sum()), 1.0)
    if signs is None and len(moved) <= _EXACT_LIMIT:
        patterns = _all_signs(len(moved))
        return float((np.abs(patterns @ moved) >= least).mean())
    blocks = [signs] if signs is not None else list(_sign_blocks(len(moved), resamples=resamples, seed=seed))
    reached = sum(int((np.abs(block @ moved) >= least).sum()) for block in blocks)
    return (reached + 1) / (sum(map(len, blocks)) + 1)


def random_signs(pairs: int, *, resamples: int, seed: int) -> NDArray[np.float64]:
    """Return the swaps of a randomisation test, -1 or 1, float [resamples, pairs]; equal arguments, equal signs."""
    import numpy as np  # noqa: PLC0415

    return np.concatenate(list(_sign_blocks(pairs, resamples=resamples, seed=seed)))


def mcnemar(base: Sequence[bool], candidate: Sequence[bool]) -> float:
    """Return the exact two-sided p of McNemar's test on the same cases; 1.0 where no case changed.

    >>> mcnemar([True, True, True, True, True], [False, False, False, False, False])
    0.0625
    """
    pairs = list(zip(base, candidate, strict=True))
    lost = sum(before and not after for before, after in pairs)
    won = sum(after and not before for before, after in pairs)
    changed = lost + won
    term, total = 1, 1
    for i in range(min(lost, won)):
        term = term * (changed - i) // (i + 1)
        total += term
    return float(min(1.0, 2 * total / 2**changed))


def _differences(base: ArrayLike, candidate: ArrayLike) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    before, after = np.asarray(base, dtype=np.float64), np.asarray(candidate, dtype=np.float64)
    if before.shape != after.shape or before.ndim != 1:
        raise ValueError(f"pairs need two columns of one length. Got {before.shape} and {after.shape}")
    return np.asarray(after - before)


def _all_signs(pairs: int) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    patterns = np.arange(2**pairs, dtype=np.int64)[:, None] >> np.arange(pairs, dtype=np.int64)
    return (patterns & 1).astype(np.float64) * 2 - 1


def _sign_blocks(pairs: int, *, resamples: int, seed: int) -> Sequence[NDArray[np.float64]]:
    import numpy as np  # noqa: PLC0415

    generator = np.random.default_rng(seed)
    rows = max(1, min(resamples, _BLOCK_CELLS // max(pairs, 1)))
    sizes = [min(rows, resamples - start) for start in range(0, resamples, rows)]
    width = math.ceil(pairs / 8)
    return [
        np.unpackbits(np.frombuffer(generator.bytes(size * width), dtype=np.uint8).reshape(size, width), axis=1)[
            :, :pairs
        ].astype(np.float64)
        * 2
        - 1
        for size in sizes
    ]
