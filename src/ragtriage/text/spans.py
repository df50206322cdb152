"""Which places of a text are taken by something else, asked many times."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Protocol, Self

__all__ = ["Placed", "Spans"]


class Placed(Protocol):
    """Something that stands at [start, end) of a text."""

    @property
    def start(self) -> int:
        """The place of its first code point."""

    @property
    def end(self) -> int:
        """The place after its last code point."""


class Spans:
    """Spans that do not overlap each other."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._ends = [end for _, end in ordered]

    @classmethod
    def of(cls, *groups: Iterable[Placed]) -> Self:
        """Return the places of some pieces of a text."""
        return cls((piece.start, piece.end) for group in groups for piece in group)

    def overlap(self, start: int, end: int) -> bool:
        """Say whether [start, end) shares a place with any of them.

        >>> spans = Spans([(2, 4), (6, 8)])
        >>> spans.overlap(4, 6), spans.overlap(3, 5), spans.overlap(0, 9)
        (False, True, True)
        """
        before = bisect_left(self._starts, end) - 1
        return before >= 0 and self._ends[before] > start
