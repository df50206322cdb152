"""The borders between the chunks of a document, and what each of them cuts."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from ragtriage.text.wholes import Whole, WholeKind, wholes

__all__ = ["Border", "border_places", "borders"]


@dataclass(frozen=True, slots=True)
class Border:
    """One chunk ends at `end` and the next begins at `start`: before it with an overlap, behind it with a gap.

    `cuts`: the kinds of pieces that it cuts.
    """

    end: int
    start: int
    cuts: frozenset[WholeKind]


def borders(text: str, chunks: Iterable[tuple[int, int]]) -> list[Border]:
    """Return the borders between chunks, given as (start, end) in any order.

    A border cuts a piece that reaches over it from either side and that no chunk holds whole: what an overlap repeats
    is not cut. A chunk inside another makes no border.

    >>> borders("One ends. Two ends. Three.", [(0, 14), (10, 26)])
    [Border(end=14, start=10, cuts=frozenset())]
    >>> [sorted(border.cuts) for border in borders("One ends. Two ends.", [(0, 14), (14, 19)])]
    [['sentence']]
    """
    spans = _outermost(chunks)
    if len(spans) < 2:  # noqa: PLR2004 - a border has two sides
        return []
    pieces = [piece for piece in wholes(text) if not _held(piece, spans)]
    reached = list(accumulate((piece.end for piece in pieces), max))
    starts = [piece.start for piece in pieces]
    found = []
    for (_, end), (start, _) in pairwise(spans):
        cut = set()
        for at in range(bisect.bisect_left(starts, start) - 1, -1, -1):  # those that begin before the next chunk
            if reached[at] <= end:
                break
            piece = pieces[at]
            if piece.end > end and (piece.start < end or piece.end > start):
                cut.add(piece.kind)
        found.append(Border(end, start, frozenset(cut)))
    return found


def border_places(chunks: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the (end, start) of the borders between chunks, given as (start, end) in any order.

    >>> border_places([(10, 26), (0, 14)])
    [(14, 10)]
    """
    return [(end, start) for (_, end), (start, _) in pairwise(_outermost(chunks))]


def _outermost(chunks: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans that hold text and lie in no other, in order; their starts and their ends rise."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted((s for s in chunks if s[0] < s[1]), key=lambda s: (s[0], -s[1])):
        if not kept or end > kept[-1][1]:
            kept.append((start, end))
    return kept


def _held(piece: Whole, spans: Sequence[tuple[int, int]]) -> bool:
    """Say whether a chunk holds the piece whole: the last one that begins no later reaches furthest."""
    at = bisect.bisect_right(spans, piece.start, key=lambda span: span[0]) - 1
    return at >= 0 and spans[at][1] >= piece.end
