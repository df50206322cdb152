"""Exact nearest neighbours of vectors: the truth that an index is held against, and all the search a small set needs.

Similarities are cosine, inner product, or the Euclidean distance times -1: higher is nearer everywhere. Products are
taken in single precision and in batches; whatever could still be among the first k is then ranked in double precision,
so the result is that of double precision. Equal similarities stand in the order of their places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Distance",
    "Neighbours",
    "check_unit",
    "exact_neighbours",
    "filtered_neighbours",
    "prepared",
    "similarities",
]

Distance: TypeAlias = Literal["cosine", "dot", "euclid"]
_BLOCK_CELLS = 8_000_000  # similarities held at once, 32 MB
_RANKED_CELLS = 4_000_000  # numbers gathered at once for ranking in double precision
_SAMPLE = 64
_FOLD = 32
_LARGEST = 1e15  # sums of products of larger numbers may leave single precision
_UNIT = 1e-6  # how far a row of length 1 may be off
_GATHER_BELOW = 0.5  # a mask that lets less pass is cheaper gathered than searched around


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """What was found: `places` int [queries, k], nearest first, -1 past the end; `scores` float alike, 0 there."""

    places: NDArray[np.int64]
    scores: NDArray[np.floating]


def prepared(vectors: ArrayLike, *, distance: Distance) -> NDArray[np.float32]:
    """Return rows as single precision, for `cosine` at length 1 (a row of zeros stays); float [rows, dimensions].

    Raises ValueError for another shape, for numbers that are not finite in single precision and, other than for
    `cosine`, for those whose squares are not.

    >>> prepared([[3.0, 4.0], [0.0, 0.0]], distance="cosine").tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    import numpy as np  # noqa: PLC0415

    with np.errstate(over="ignore"):  # told below
        rows = np.ascontiguousarray(vectors, dtype=np.float32)
    if rows.ndim != 2:  # noqa: PLR2004 - a table
        raise ValueError(f"vectors must be a table of rows. Got shape {rows.shape} instead")
    bound = np.inf if distance == "cosine" else _LARGEST
    usable = np.ones(len(rows), dtype=bool)
    parts = list(_parts(len(rows), max(1, _RANKED_CELLS // max(1, rows.shape[1]))))  # no copy of all rows at once
    for part in parts:
        usable[part] = (np.abs(rows[part]) < bound).all(axis=1)
    if not usable.all():
        what = "not finite" if distance == "cosine" else f"not below {_LARGEST:g}"
        raise ValueError(f"row {int(np.flatnonzero(~usable)[0])} of the vectors holds numbers that are {what}")
    if distance != "cosine":
        return rows
    made = np.empty_like(rows)
    for part in parts:
        largest = np.abs(rows[part]).max(axis=1, initial=0.0, keepdims=True)
        scaled = rows[part] / np.where(largest > 0, largest, 1).astype(np.float32)  # no square under- or overflows
        lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled, dtype=np.float64))[:, None]
        made[part] = scaled / np.where(lengths > 0, lengths, 1.0)
    return made


def exact_neighbours(
    vectors: NDArray[np.float32],
    queries: NDArray[np.float32],
    *,
    k: int,
    distance: Distance = "cosine",
    allowed: NDArray[np.bool_] | None = None,
) -> Neighbours:
    """Return the k nearest rows of `vectors` for each query, of those that `allowed` bool [rows] lets pass.

    Both float [rows, dimensions] as `prepared` returns them. Raises ValueError for k below 1, for shapes that do not
    fit, and for `cosine` where a query or one of the first rows is not of length 1.

    >>> import numpy as np
    >>> rows = prepared(np.eye(3), distance="cosine")
    >>> exact_neighbours(rows, rows[1:2], k=2, allowed=np.array([False, True, True])).places.tolist()
    [[1, 2]]
    """
    import numpy as np  # noqa: PLC0415

    if k < 1:
        raise ValueError(f"k must be 1 or more. Got {k} instead")
    if vectors.shape[1:] != queries.shape[1:]:
        raise ValueError(f"vectors have {vectors.shape[1:]} dimensions and queries {queries.shape[1:]}")
    if distance == "cosine":
        check_unit(queries)
        check_unit(vectors[:_SAMPLE])
    if allowed is not None:
        if allowed.shape != vectors.shape[:1] or allowed.dtype != np.bool_:
            raise ValueError(f"a mask is one bool for each of {len(vectors)} rows. Got {allowed.dtype} {allowed.shape}")
        kept = np.flatnonzero(allowed)
        if len(kept) < _GATHER_BELOW * len(vectors):
            found = exact_neighbours(vectors[kept], queries, k=k, distance=distance)
            places = np.where(found.places >= 0, np.append(kept, -1)[found.places], -1)
            return Neighbours(places, found.scores)
    places, scores = np.full((len(queries), k), -1, dtype=np.int64), np.zeros((len(queries), k))
    reach = min(k, len(vectors) if allowed is None else int(allowed.sum()))
    squares = _squares(vectors) if distance == "euclid" else None
    longest = 1.0 + _UNIT if distance == "cosine" else float(np.sqrt(_squares(vectors).max(initial=0.0)))
    step = max(1, _BLOCK_CELLS // max(1, len(vectors)))
    for start in range(0, len(queries) if reach else 0, step):
        block = queries[start : start + step]
        near = _single(vectors, block, squares)
        if allowed is not None:
            near[:, ~allowed] = -np.inf
        row, place = np.nonzero(near >= _lowest(near, block, reach, longest, distance)[:, None])
        exact = similarities(vectors, place, block, row, distance=distance)
        order = np.lexsort((place, -exact, row))
        rank = np.arange(len(row)) - np.searchsorted(row, row)  # `row` is sorted and stays so
        first = rank < reach
        at = (start + row[first], rank[first])
        places[at], scores[at] = place[order][first], exact[order][first]
    return Neighbours(places, scores)


def filtered_neighbours(
    vectors: NDArray[np.float32],
    queries: NDArray[np.float32],
    *,
    k: int,
    masks: NDArray[np.bool_],
    mask_of: Sequence[int] | NDArray[np.integer],
    distance: Distance = "cosine",
) -> Neighbours:
    """Return the k nearest rows for each query behind its own filter; the filter stage without a database.

    `masks` bool [masks, rows]: what each different filter lets pass; `mask_of` int [queries]: the filter of each query.
    Queries with one filter are searched together. Raises ValueError for shapes that do not fit.

    >>> import numpy as np
    >>> rows = prepared(np.eye(3), distance="cosine")
    >>> both = np.array([[True, True, False], [False, False, True]])
    >>> filtered_neighbours(rows, rows[:2], k=1, masks=both, mask_of=[0, 1]).places.tolist()
    [[0], [2]]
    """
    import numpy as np  # noqa: PLC0415

    which = np.asarray(mask_of, dtype=np.int64)
    if which.shape != queries.shape[:1] or (len(which) and not 0 <= which.min() <= which.max() < len(masks)):
        raise ValueError(f"each of {len(queries)} queries needs the number of one of {len(masks)} masks")
    places, scores = np.full((len(queries), k), -1, dtype=np.int64), np.zeros((len(queries), k))
    for number in np.unique(which):
        rows = np.flatnonzero(which == number)
        found = exact_neighbours(vectors, queries[rows], k=k, distance=distance, allowed=masks[number])
        places[rows], scores[rows] = found.places, found.scores
    return Neighbours(places, scores)


def similarities(
    vectors: NDArray[np.float32],
    places: NDArray[np.int64],
    queries: NDArray[np.float32],
    rows: NDArray[np.int64],
    *,
    distance: Distance,
) -> NDArray[np.float64]:
    """Return the similarity of `vectors[places[i]]` and `queries[rows[i]]` for each i, in double precision.

    >>> import numpy as np
    >>> similarities(np.eye(2), np.array([0, 1]), np.eye(2), np.array([0, 0]), distance="euclid").round(3).tolist()
    [-0.0, -1.414]
    """
    import numpy as np  # noqa: PLC0415

    found = np.zeros(len(places))
    for part in _parts(len(places), max(1, _RANKED_CELLS // max(1, vectors.shape[1]))):
        left = vectors[places[part]].astype(np.float64)
        right = queries[rows[part]].astype(np.float64)
        if distance == "euclid":
            found[part] = -np.sqrt(((left - right) ** 2).sum(axis=1))
        else:
            found[part] = (left * right).sum(axis=1)
    return found


def check_unit(rows: NDArray[np.float32]) -> None:
    """Raise ValueError where a row has neither length 1 nor length 0."""
    import numpy as np  # noqa: PLC0415

    squares = _squares(rows)
    off = np.flatnonzero((np.abs(squares - 1) > 4 * _UNIT) & (squares > 0))
    if len(off):
        raise ValueError(
            f"row {int(off[0])} has length {squares[off[0]] ** 0.5:.6g} and not 1; pass it through `prepared`"
        )


def _parts(length: int, size: int) -> Iterator[slice]:
    return (slice(start, start + size) for start in range(0, length, size))


def _squares(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


def _single(
    vectors: NDArray[np.float32], block: NDArray[np.float32], squares: NDArray[np.float64] | None
) -> NDArray[np.float32]:
    """Return similarities in single precision; for distances their square times -1, less the query's own square."""
    import numpy as np  # noqa: PLC0415

    near = block @ vectors.T
    if squares is not None:
        near *= 2
        near -= squares.astype(np.float32)
    return np.asarray(near)


def _lowest(
    near: NDArray[np.float32], block: NDArray[np.float32], reach: int, longest: float, distance: Distance
) -> NDArray[np.float32]:
    """Return for each query the least similarity in single precision that may belong to one of the first `reach`.

    A sum of n products is off by at most n rounding errors of the product of both lengths (Higham 2002, section 3.1).
    """
    import numpy as np  # noqa: PLC0415

    tops = _tops(near, reach)
    kth = np.partition(tops, tops.shape[1] - reach, axis=1)[:, tops.shape[1] - reach]
    lengths = np.sqrt(_squares(block))
    scale = lengths * longest if distance != "euclid" else (lengths + longest) ** 2 * 2
    rounding = (block.shape[1] + 4) * float(np.finfo(np.float32).eps)
    return np.asarray(kth - 2 * rounding * scale, dtype=np.float32)


def _tops(near: NDArray[np.float32], reach: int) -> NDArray[np.float32]:
    """Return the largest of every so many columns, taken far apart; their k-th largest is at most the k-th of all.

    A few more candidates are ranked for it, and the columns to be partitioned are a fraction.
    """
    import numpy as np  # noqa: PLC0415

    parts = near.shape[1] // _FOLD
    if parts < 4 * reach:
        return near
    whole = near[:, : parts * _FOLD].reshape(len(near), _FOLD, parts).max(axis=1)
    return np.concatenate([whole, near[:, parts * _FOLD :]], axis=1)
