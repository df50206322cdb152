"""Late interaction (Khattab and Zaharia 2020): a text is a vector a token, and each token of a query finds its best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtriage.stats.nearest import Neighbours, prepared

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PackedTokens", "maxsim", "maxsim_neighbours"]

_BLOCK_CELLS = 8_000_000  # similarities held at once, 32 MB


@dataclass(frozen=True, slots=True, eq=False)
class PackedTokens:
    """The tokens of many texts in one table: `vectors` float32 [tokens, dimensions] at length 1.

    `starts` int [texts + 1]: text i has the rows from starts[i] up to starts[i + 1]; a text may have none.
    """

    vectors: NDArray[np.float32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[NDArray[np.floating]]) -> PackedTokens:
        """Pack tables of [tokens, dimensions]; raises ValueError where they differ in dimensions or are not finite."""
        import numpy as np  # noqa: PLC0415 - loaded where vectors are

        widths = {table.shape[1] for table in texts if len(table)}
        if len(widths) > 1:
            raise ValueError(f"tokens must have one number of dimensions. Got {sorted(widths)} instead")
        filled = [table for table in texts if len(table)]
        table = np.concatenate(filled) if filled else np.zeros((0, 0))
        starts = np.concatenate([[0], np.cumsum([len(table) for table in texts])]).astype(np.int64)
        return cls(prepared(table, distance="cosine"), starts)

    def __len__(self) -> int:
        """Count the texts."""
        return len(self.starts) - 1


def maxsim(query: NDArray[np.floating], documents: PackedTokens) -> NDArray[np.float64]:
    """Return the MaxSim score of each document: the sum over query tokens of the best cosine with one of its tokens.

    `query` float [tokens, dimensions]. A document without tokens scores -inf: nothing of it can match. A query without
    tokens scores 0 with all others.

    >>> import numpy as np
    >>> maxsim(np.eye(2), PackedTokens.of([np.eye(2), np.eye(2)[:1], np.zeros((0, 2))])).tolist()
    [2.0, 1.0, -inf]
    """
    import numpy as np  # noqa: PLC0415

    scores = np.full(len(documents), -np.inf)
    lengths = np.diff(documents.starts)
    scores[lengths > 0] = 0.0
    if not len(query) or not len(documents.vectors):
        return scores
    asked = prepared(query, distance="cosine")
    for first, last in _blocks(documents.starts, max(1, _BLOCK_CELLS // len(asked))):
        filled = np.flatnonzero(lengths[first:last]) + first
        if len(filled):
            begin, end = documents.starts[first], documents.starts[last]
            near = asked @ documents.vectors[begin:end].T
            best = np.maximum.reduceat(near, documents.starts[filled] - begin, axis=1)
            scores[filled] = best.sum(axis=0, dtype=np.float64)
    return scores


def maxsim_neighbours(queries: Sequence[NDArray[np.floating]], documents: PackedTokens, *, k: int) -> Neighbours:
    """Return the k best documents for each query by MaxSim, equal scores in the order of their places.

    Raises ValueError for k below 1.
    """
    import numpy as np  # noqa: PLC0415

    if k < 1:
        raise ValueError(f"k must be 1 or more. Got {k} instead")
    places, scores = np.full((len(queries), k), -1, dtype=np.int64), np.zeros((len(queries), k))
    for row, query in enumerate(queries):
        found = maxsim(query, documents)
        order = np.argsort(-found, kind="stable")[:k]
        order = order[np.isfinite(found[order])]
        places[row, : len(order)], scores[row, : len(order)] = order, found[order]
    return Neighbours(places, scores)


def _blocks(starts: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of runs of whole texts with at most so many tokens, or a single longer text."""
    import numpy as np  # noqa: PLC0415

    first, count = 0, len(starts) - 1
    while first < count:
        last = int(np.searchsorted(starts, starts[first] + most, side="right")) - 1
        last = min(count, max(last, first + 1))
        yield first, last
        first = last
