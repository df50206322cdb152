"""What a metric of duplicates may see: which documents a detector took for the same, and which are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

__all__ = ["DuplicatesView", "Pair", "pairs_of"]

Pair: TypeAlias = tuple[str, str]
"""The ids of two documents, the smaller first."""


@dataclass(frozen=True, slots=True)
class DuplicatesView:
    """Document pairs as detected and as labelled: of a whole corpus, or of one group of it that pairs hold together.

    `found`: pairs that the detector took for near-duplicates. `duplicates`: pairs labelled as such. `different`: pairs
    labelled as no duplicates; pairs without a label then count nowhere. None: every pair not in `duplicates` is
    different. Make the pairs with `pairs_of`. Raises ValueError for a pair whose first id is not the smaller, and for
    one labelled as both.
    """

    population: ClassVar[str] = "groups"
    found: frozenset[Pair]
    duplicates: frozenset[Pair]
    different: frozenset[Pair] | None = None

    def __post_init__(self) -> None:
        for first, second in (*self.found, *self.duplicates, *(self.different or ())):
            if not first < second:
                raise ValueError(f"the pair {first!r}, {second!r} must name two documents, the smaller id first")
        if self.different is not None and (both := self.duplicates & self.different):
            raise ValueError(f"{len(both)} pairs are labelled as duplicates and as different, such as {min(both)}")


def pairs_of(pairs: Iterable[tuple[str, str]]) -> frozenset[Pair]:
    """Return pairs of ids with the smaller id first; raises ValueError where a document is paired with itself.

    >>> sorted(pairs_of([("b", "a"), ("a", "b"), ("c", "a")]))
    [('a', 'b'), ('a', 'c')]
    """
    found = frozenset((min(pair), max(pair)) for pair in pairs)
    if same := [first for first, second in found if first == second]:
        raise ValueError(f"{min(same)!r} is paired with itself")
    return found
