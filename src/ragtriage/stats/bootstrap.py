"""Bootstrap intervals: percentile and BCa, over cases or over clusters of cases.

The indices of the resamples depend on the number of units, the number of resamples and the seed alone, so an interval
can be computed again elsewhere; every function also takes indices that were drawn elsewhere.
Where cases share a document they are not independent: whole clusters are drawn then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "bootstrap_mean",
    "bootstrap_means",
    "bootstrap_median",
    "bootstrap_ratio",
    "bootstrap_ratios",
    "by_cluster",
    "interval_of",
    "resample_blocks",
    "resample_indices",
    "resampled_statistic",
]

Method = Literal["percentile", "bca"]
_EQUAL = 1e-12  # sums of the same numbers in another order differ by less
_BLOCK_CELLS = 500_000  # indices drawn at once: 14 MB while they are counted


def resample_blocks(units: int, *, resamples: int, seed: int) -> Iterator[NDArray[np.int32]]:
    """Yield blocks of resample indices, int [some resamples, units]; their rows together number `resamples`."""
    import numpy as np  # noqa: PLC0415

    generator = np.random.default_rng(seed)
    rows = max(1, min(resamples, _BLOCK_CELLS // max(units, 1)))
    for start in range(0, resamples, rows):
        yield generator.integers(0, units, (min(rows, resamples - start), units), dtype=np.int32)


def resample_indices(units: int, *, resamples: int, seed: int) -> NDArray[np.int32]:
    """Return all resample indices, int [resamples, units]; equal arguments give equal indices.

    >>> resample_indices(3, resamples=2, seed=1).tolist() == resample_indices(3, resamples=2, seed=1).tolist()
    True
    """
    import numpy as np  # noqa: PLC0415

    return np.concatenate(list(resample_blocks(units, resamples=resamples, seed=seed)))


def bootstrap_mean(
    values: ArrayLike,
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
    clusters: Sequence[str] | None = None,
    method: Method = "percentile",
    indices: NDArray[np.integer] | None = None,
) -> tuple[float, float]:
    """Return the bootstrap interval of a mean; raises ValueError for no values.

    `values` float [cases]; `clusters`: the cluster of each case, drawn whole. `indices` int [resamples, units] replaces
    the drawn ones (units are cases, or clusters in their sorted order).

    >>> bootstrap_mean([0.5, 0.5, 0.5], resamples=100, seed=1)
    (0.5, 0.5)
    """
    import numpy as np  # noqa: PLC0415

    column = np.asarray(values, dtype=np.float64)
    return bootstrap_ratio(
        column,
        np.ones(len(column)),
        resamples=resamples,
        seed=seed,
        level=level,
        clusters=clusters,
        method=method,
        indices=indices,
    )


def bootstrap_ratio(
    numerators: ArrayLike,
    denominators: ArrayLike,
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
    clusters: Sequence[str] | None = None,
    method: Method = "percentile",
    indices: NDArray[np.integer] | None = None,
) -> tuple[float, float]:
    """Return the bootstrap interval of sum(numerators) / sum(denominators); raises ValueError for no cases.

    Every denominator must be above 0. A mean is the ratio whose denominators are all 1.
    """
    import numpy as np  # noqa: PLC0415

    top, bottom = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    if not len(top):
        raise ValueError("an interval needs at least one value")
    if (bottom <= 0).any():
        raise ValueError("every denominator must be above 0")
    if clusters is not None:
        top, bottom = by_cluster(top, clusters), by_cluster(bottom, clusters)
    if (constant := _constant(top, bottom)) is not None:
        return constant, constant
    columns = np.column_stack([top, bottom])
    blocks = [indices] if indices is not None else resample_blocks(len(top), resamples=resamples, seed=seed)
    sums = np.concatenate([_block_sums(block, columns) for block in blocks])
    drawn = sums[:, 0] / sums[:, 1]
    if method == "percentile":
        return interval_of(drawn, level=level)
    left_out = (top.sum() - top) / (bottom.sum() - bottom)
    return interval_of(drawn, level=level, estimate=float(top.sum() / bottom.sum()), jackknife=left_out)


def bootstrap_means(columns: NDArray[np.float64], *, resamples: int, seed: int) -> NDArray[np.float64]:
    """Return the resampled column sums, float [resamples, columns], of values float [units, columns].

    All columns are resampled together, which costs little more than one of them.
    """
    import numpy as np  # noqa: PLC0415

    blocks = resample_blocks(len(columns), resamples=resamples, seed=seed)
    return np.concatenate([_block_sums(block, columns) for block in blocks])


def bootstrap_ratios(
    ratios: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
) -> list[tuple[float, float]]:
    """Return for each (numerators, denominators) the interval that `bootstrap_ratio` gives.

    Columns of the same length are resampled together, which costs little more than one of them.
    """
    import numpy as np  # noqa: PLC0415

    found: dict[int, tuple[float, float]] = {}
    drawn_together: dict[int, list[int]] = {}
    for place, (top, bottom) in enumerate(ratios):
        if (estimate := _constant(top, bottom)) is None:
            drawn_together.setdefault(len(top), []).append(place)
        else:
            found[place] = estimate, estimate
    for places in drawn_together.values():
        columns = np.column_stack([column for place in places for column in ratios[place]])
        sums = bootstrap_means(columns, resamples=resamples, seed=seed)
        for column, place in enumerate(places):
            found[place] = interval_of(sums[:, 2 * column] / sums[:, 2 * column + 1], level=level)
    return [found[place] for place in range(len(ratios))]


def bootstrap_median(
    values: ArrayLike,
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
    clusters: Sequence[str] | NDArray[np.integer] | None = None,
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a median; raises ValueError for no values.

    >>> bootstrap_median([3.0, 3.0, 3.0], resamples=100, seed=1)
    (3.0, 3.0)
    """
    import numpy as np  # noqa: PLC0415

    column = np.asarray(values, dtype=np.float64)
    names = np.arange(len(column)) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    drawn = [_medians(column, names, block) for block in _unit_blocks(names, resamples=resamples, seed=seed)]
    return interval_of(np.concatenate(drawn), level=level)


def _unit_blocks(names: NDArray[np.int64], *, resamples: int, seed: int) -> Iterator[NDArray[np.int32]]:
    if not len(names):
        raise ValueError("an interval needs at least one value")
    return resample_blocks(int(names.max()) + 1, resamples=resamples, seed=seed)


def _medians(values: NDArray[np.float64], names: NDArray[np.int64], block: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the median of each resample: in the sorted values, the places at which half of the drawn ones lie."""
    import numpy as np  # noqa: PLC0415

    order = np.argsort(values, kind="stable")
    ordered, units = values[order], int(names.max()) + 1
    flat = block + (np.arange(len(block), dtype=np.int64) * units)[:, None]
    counts = np.bincount(flat.ravel(), minlength=len(block) * units).reshape(len(block), units)
    reached = np.cumsum(counts[:, names[order]], axis=1)
    drawn = reached[:, -1]
    low, high = ((reached > middle[:, None]).argmax(axis=1) for middle in ((drawn - 1) // 2, drawn // 2))
    return np.asarray((ordered[low] + ordered[high]) / 2)


def resampled_statistic(
    statistic: Callable[[NDArray[np.integer]], float | None],
    units: int,
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
    indices: NDArray[np.integer] | None = None,
) -> tuple[float, float] | None:
    """Return the percentile interval of any statistic of row indices, computed anew for each resample.

    The statistic may be None for a resample on which it is undefined; None is returned where fewer than half of the
    resamples give a number, because an interval over the rest would not speak of the statistic.
    """
    import numpy as np  # noqa: PLC0415

    blocks = [indices] if indices is not None else resample_blocks(units, resamples=resamples, seed=seed)
    drawn = [statistic(row) for block in blocks for row in block]
    defined = np.array([value for value in drawn if value is not None], dtype=np.float64)
    if 2 * len(defined) < len(drawn) or not len(defined):
        return None
    return interval_of(defined, level=level)


def interval_of(
    drawn: NDArray[np.float64],
    *,
    level: float = 0.95,
    estimate: float | None = None,
    jackknife: NDArray[np.float64] | None = None,
) -> tuple[float, float]:
    """Return the interval that resampled values span: percentile, or BCa where estimate and jackknife are given.

    BCa falls back to the percentile interval where its correction does not exist (all resamples on one side of the
    estimate, or no spread in the jackknife).
    """
    import numpy as np  # noqa: PLC0415

    tails = ((1 - level) / 2, (1 + level) / 2)
    if estimate is not None and jackknife is not None:
        tails = _bca_tails(drawn, tails, estimate, jackknife)
    low, high = np.quantile(drawn, tails)
    return float(low), float(high)


def _bca_tails(
    drawn: NDArray[np.float64], tails: tuple[float, float], estimate: float, jackknife: NDArray[np.float64]
) -> tuple[float, float]:
    """Correct the tails for bias (share of resamples below the estimate) and for skew (Efron 1987)."""
    near = abs(drawn - estimate) <= _EQUAL * max(abs(estimate), 1.0)
    below = (float(((drawn < estimate) & ~near).mean()) + float(((drawn < estimate) | near).mean())) / 2
    influence = (len(jackknife) - 1) * (jackknife.mean() - jackknife)
    spread = float((influence**2).sum())
    if not 0 < below < 1 or spread <= 0:
        return tails
    normal = NormalDist()
    bias = normal.inv_cdf(below)
    skew = float((influence**3).sum()) / (6 * spread**1.5)
    low, high = (_shifted(normal, bias, skew, normal.inv_cdf(tail)) for tail in tails)
    return low, high


def _shifted(normal: NormalDist, bias: float, skew: float, z: float) -> float:
    return normal.cdf(bias + (bias + z) / (1 - skew * (bias + z)))


def by_cluster(values: NDArray[np.float64], clusters: Sequence[str] | NDArray[np.integer]) -> NDArray[np.float64]:
    """Sum the values of each cluster, in the sorted order of the clusters; they are the units to be drawn."""
    import numpy as np  # noqa: PLC0415

    if len(clusters) != len(values):
        raise ValueError(f"{len(clusters)} clusters for {len(values)} values")
    codes = np.asarray(clusters)
    if not np.issubdtype(codes.dtype, np.integer):
        codes = np.unique(codes, return_inverse=True)[1]
    return np.asarray(np.bincount(codes, weights=values)[np.bincount(codes) > 0], dtype=np.float64)


def _block_sums(block: NDArray[np.integer], columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum the drawn rows of each resample: how often each row was drawn, times the rows."""
    import numpy as np  # noqa: PLC0415

    drawn, units = len(block), len(columns)
    flat = block + (np.arange(drawn, dtype=np.int64) * units)[:, None]
    counts = np.bincount(flat.ravel(), minlength=drawn * units).reshape(drawn, units)
    return np.asarray(counts.astype(np.float64) @ columns)


def _constant(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> float | None:
    """Return the ratio that all units share, so that no rounding makes an interval of it; None where they differ."""
    first = top / bottom
    return float(first[0]) if bool((first == first[0]).all()) else None
