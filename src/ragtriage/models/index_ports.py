"""The port to a vector index: queries in, places of the nearest items out.

An item is known by its place, the row of the table of vectors that the index was filled with, so that what it finds can
be held against exact search over the same table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ragtriage.core.errors import BadInput
from ragtriage.stats.nearest import Distance, Neighbours, exact_neighbours

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CallableIndex", "ExactIndex", "VectorIndex", "checked"]


class VectorIndex(Protocol):
    """An index over rows of vectors; `identity` names kind and parameters, `size` counts its items."""

    @property
    def identity(self) -> str:
        """What answers, with the parameters that decide what it finds."""
        ...

    @property
    def size(self) -> int:
        """How many items it holds."""
        ...

    def search(self, queries: NDArray[np.float32], *, k: int, allowed: NDArray[np.bool_] | None = None) -> Neighbours:
        """Return the first k for each query, of the items that `allowed` bool [size] lets pass.

        Raises BadInput where it takes no filter or returns what is no list of its items, SystemUnavailable where it
        does not answer.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ExactIndex:
    """Exact search over a table, as `prepared` returned it; needs no building and no package."""

    vectors: NDArray[np.float32]
    distance: Distance = "cosine"

    @property
    def identity(self) -> str:
        """Kind and distance."""
        return f"exact/{self.distance}"

    @property
    def size(self) -> int:
        """The rows of the table."""
        return len(self.vectors)

    def search(self, queries: NDArray[np.float32], *, k: int, allowed: NDArray[np.bool_] | None = None) -> Neighbours:
        """Return the k nearest rows for each query."""
        return exact_neighbours(self.vectors, queries, k=k, distance=self.distance, allowed=allowed)


@dataclass(frozen=True, slots=True, eq=False)
class CallableIndex:
    """Any function as an index: `call(queries, k)` returns places [queries, k], or (places, scores) of that shape.

    Lists of different lengths are fine; they are padded. A function that takes a filter is called with `allowed` as
    its third argument where one is given.
    """

    call: Callable[..., object]
    size: int
    identity: str
    takes_filter: bool = False

    def search(self, queries: NDArray[np.float32], *, k: int, allowed: NDArray[np.bool_] | None = None) -> Neighbours:
        """Return what the function returns, checked; what it raises passes through."""
        if allowed is not None and not self.takes_filter:
            raise BadInput(f"the index {self.identity!r} takes no filter")
        answer = self.call(queries, k) if allowed is None else self.call(queries, k, allowed)
        places, scores = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)  # noqa: PLR2004
        return checked(places, scores, queries=len(queries), k=k, size=self.size, what=self.identity)


def checked(places: Any, scores: Any, *, queries: int, k: int, size: int, what: str) -> Neighbours:
    """Return lists of places as `Neighbours`: cut at k, padded with -1; raises BadInput for what is no such list.

    >>> checked([[2, 0], [1]], None, queries=2, k=2, size=3, what="mine").places.tolist()
    [[2, 0], [1, -1]]
    """
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    kept = np.full((queries, k), -1, dtype=np.int64)
    values = np.zeros((queries, k))
    try:
        rows = [np.asarray(row) for row in places]
        given = None if scores is None else [np.asarray(row, dtype=np.float64) for row in scores]
    except (TypeError, ValueError) as error:
        raise BadInput(f"the index {what!r} must return a list of places for each query: {error}") from error
    if len(rows) != queries or (given is not None and [len(row) for row in given] != [len(row) for row in rows]):
        raise BadInput(f"the index {what!r} must return one list for each of {queries} queries, scores like places")
    for number, row in enumerate(rows):
        if row.ndim != 1 or (row.size and not np.issubdtype(row.dtype, np.integer)):
            raise BadInput(f"the index {what!r} must return places as whole numbers. Got {row.dtype} {row.shape}")
        if row.size and not -1 <= row.min() <= row.max() < size:
            raise BadInput(f"the index {what!r} returned the place {row.max()}, and holds {size} items")
        kept[number, : len(row[:k])] = row[:k]
        if given is not None:
            values[number, : len(row[:k])] = given[number][:k]
    return Neighbours(kept, np.where(kept >= 0, values, 0.0))
