"""Two runs on the same cases: interval and test of the difference, and McNemar's test for pass and fail."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ragtriage.stats.bootstrap import bootstrap_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["mcnemar", "paired_bootstrap", "random_signs", "randomisation_test", "randomisation_tests"]

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
    never 0. Where Hoeffding's bound on the exact p is lower than that count can go, the bound is returned.
    `signs` float [resamples, cases] of -1 and 1 replaces the drawn swaps, and then only they are counted.
    Raises ValueError for no cases.

    >>> randomisation_test([0, 0, 0], [1, 1, 1], resamples=100, seed=1)
    0.25
    """
    differences = _differences(base, candidate)
    if signs is None:
        return randomisation_tests([differences], resamples=resamples, seed=seed)[0]
    return (_reached([signs], differences[:, None])[0] + 1) / (len(signs) + 1)


def randomisation_tests(differences: Sequence[NDArray[np.float64]], *, resamples: int, seed: int) -> list[float]:
    """Return the p of `randomisation_test` for each column of paired differences; equal lengths share their swaps."""
    import numpy as np  # noqa: PLC0415

    found: dict[int, float] = {}
    sampled: dict[int, list[int]] = {}
    for place, column in enumerate(differences):
        if not len(column):
            raise ValueError("a test needs at least one pair")
        moved = column[column != 0]
        if len(moved) <= _EXACT_LIMIT:
            patterns = _all_signs(len(moved))
            found[place] = _reached([patterns], moved[:, None])[0] / len(patterns)
        else:
            sampled.setdefault(len(column), []).append(place)
    for pairs, places in sampled.items():
        columns = np.column_stack([differences[place] for place in places])
        reached = _reached(_sign_blocks(pairs, resamples=resamples, seed=seed), columns)
        for place, count in zip(places, reached, strict=True):
            found[place] = min((count + 1) / (resamples + 1), _hoeffding(differences[place]))
    return [found[place] for place in range(len(differences))]


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


def _reached(blocks: Iterable[NDArray[np.floating]], columns: NDArray[np.float64]) -> list[int]:
    """Count for each column the swaps whose sum is at least as far from 0 as the observed one."""
    import numpy as np  # noqa: PLC0415

    observed = np.abs(columns.sum(axis=0))
    least = observed - _EQUAL * np.maximum(np.abs(columns).sum(axis=0), 1.0)
    counts = np.zeros(columns.shape[1], dtype=np.int64)
    for block in blocks:
        counts += (np.abs(block @ columns) >= least).sum(axis=0)
    return [int(count) for count in counts]


def _hoeffding(differences: NDArray[np.float64]) -> float:
    """Bound the exact p from above: 2 exp(-T^2 / (2 sum d^2))."""
    total, squares = float(differences.sum()), float((differences**2).sum())
    return min(1.0, 2 * math.exp(-total * total / (2 * squares))) if squares else 1.0


def _all_signs(pairs: int) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    patterns = np.arange(2**pairs, dtype=np.int64)[:, None] >> np.arange(pairs, dtype=np.int64)
    return (patterns & 1).astype(np.float64) * 2 - 1


def _sign_blocks(pairs: int, *, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    import numpy as np  # noqa: PLC0415

    generator = np.random.default_rng(seed)
    rows = max(1, min(resamples, _BLOCK_CELLS // max(pairs, 1)))
    width = math.ceil(pairs / 8)
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        packed = np.frombuffer(generator.bytes(size * width), dtype=np.uint8).reshape(size, width)
        yield np.unpackbits(packed, axis=1)[:, :pairs].astype(np.float64) * 2 - 1
