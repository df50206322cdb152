"""Cosines of pairs of sentences within chunks and across their borders, as sums: all that coherence needs of vectors.

A sum over all pairs is the product of two sums of unit vectors, so memory grows with the sentences and not with their
square.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragtriage.core.chunk_views import PairCosines, SentencesView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["comparable", "sentence_pairs"]


def sentence_pairs(vectors: NDArray[np.floating], chunks: Sequence[Sequence[int]]) -> SentencesView:
    """Return what the cosines of the sentences of one document come to; `vectors` [sentences, dimensions].

    `chunks`: for each chunk, in the order of the document, the indices of its sentences. A pair that an overlap puts
    into one chunk and across a border counts as within; a sentence without direction (zeros, a number that is not
    finite) is in no pair; a chunk without sentences is no neighbour.

    >>> import numpy as np
    >>> sentence_pairs(np.array([[1, 0], [1, 0], [0, 1]]), [(0, 1), (2,)]).every
    PairCosines(within=1.0, within_pairs=1, across=0.0, across_pairs=2)
    """
    unit, directed = _unit(vectors)
    within = across = 0.0
    within_pairs = across_pairs = 0
    near_of: dict[int, frozenset[int]] = {}
    beside_of: dict[int, frozenset[int]] = {}
    for own, near, beside in _neighbourhoods(chunks):
        total, count = unit[own].sum(axis=0), int(directed[own].sum())
        within += float(total @ unit[near].sum(axis=0)) - count  # less each with itself
        within_pairs += count * (int(directed[near].sum()) - 1)
        across += float(total @ unit[beside].sum(axis=0))
        across_pairs += count * int(directed[beside].sum())
        near_of.update(dict.fromkeys(own, frozenset(near)))
        beside_of.update(dict.fromkeys(own, frozenset(beside)))
    following = (unit[:-1] * unit[1:]).sum(axis=1)
    both = directed[:-1] & directed[1:]
    inside = [a for a in near_of if a < len(both) and both[a] and a + 1 in near_of[a]]
    outside = [a for a in beside_of if a < len(both) and both[a] and a + 1 in beside_of[a]]
    return SentencesView(
        every=_sums(within / 2, within_pairs // 2, across / 2, across_pairs // 2),
        adjacent=_sums(float(following[inside].sum()), len(inside), float(following[outside].sum()), len(outside)),
    )


def comparable(chunks: Sequence[Sequence[int]]) -> bool:
    """Say whether there are pairs of both kinds at all, whatever the vectors are.

    >>> comparable([(0, 1), (2,)]), comparable([(0, 1, 2)]), comparable([(0,), (1,)])
    (True, False, False)
    """
    found = list(_neighbourhoods(chunks))
    return any(len(near) > 1 for _, near, _ in found) and any(beside for _, _, beside in found)


def _neighbourhoods(
    chunks: Sequence[Sequence[int]],
) -> Iterator[tuple[list[int], list[int], list[int]]]:
    """Yield sentences that the same chunks hold, with all sentences of those chunks, and those of their neighbours."""
    filled = [frozenset(chunk) for chunk in chunks if chunk]
    holding: dict[int, list[int]] = {}
    for number, chunk in enumerate(filled):
        for sentence in chunk:
            holding.setdefault(sentence, []).append(number)
    alike: dict[tuple[int, ...], list[int]] = {}
    for sentence, numbers in sorted(holding.items()):
        alike.setdefault(tuple(numbers), []).append(sentence)
    for held_by, own in alike.items():
        near = frozenset().union(*(filled[n] for n in held_by))
        neighbours = {m for n in held_by for m in (n - 1, n + 1) if 0 <= m < len(filled)}
        yield own, sorted(near), sorted(frozenset().union(*(filled[m] for m in neighbours)) - near)


def _sums(within: float, within_pairs: int, across: float, across_pairs: int) -> PairCosines:
    """Keep each sum to what so many cosines can come to, which rounding may pass by a hair."""
    return PairCosines(
        min(max(within, -within_pairs), within_pairs),
        within_pairs,
        min(max(across, -across_pairs), across_pairs),
        across_pairs,
    )


def _unit(vectors: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the rows at length 1, those without a direction as zeros, and which of them have one."""
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    rows = np.asarray(vectors, dtype=np.float64)
    largest = np.abs(rows).max(axis=1, initial=0.0)
    directed = np.isfinite(largest) & (largest > 0)
    rows = np.where(directed[:, None], rows, 0.0) / np.where(directed, largest, 1.0)[:, None]
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0), directed
