"""What all ways of chunking share: pieces with their places, put together up to a size, and the records made of them.

Sizes are in characters. Chunks of one document begin one after the other and together hold all that is not white
space. No offset is ever searched for: pieces carry theirs from the first cut on.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

from ragtriage.core.records import Chunk, Document
from ragtriage.data.chunk_lists import chunk_name
from reference_rag.blocks import Block, blocks_of

__all__ = [
    "BORDERS",
    "LINES",
    "WORDS",
    "Cut",
    "Span",
    "check_sizes",
    "length_of",
    "made_chunks",
    "packed",
    "paths_over",
    "shared_path",
    "stripped",
]

# From the strongest border to the weakest; each matches the end of a piece.
BORDERS = (
    regex.compile(r"\n\s*\n\s*"),
    regex.compile(r"\n\s*"),
    regex.compile(r"(?<=[.!?…。！？؟।][\"'»”)]?)\s+"),
    regex.compile(r"(?<=[;:,])\s+"),
    regex.compile(r"\s+"),
)
LINES = BORDERS[1:2]
WORDS = BORDERS[-1:]


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A span that becomes a chunk, with what is known of it; white space at its ends is left out of the chunk."""

    span: Span
    section_path: tuple[str, ...] = ()
    page: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def check_sizes(size: int, overlap: int) -> None:
    """Raise ValueError for a size below 1 or an overlap that is not below the size."""
    if size < 1 or not 0 <= overlap < size:
        raise ValueError(f"chunks need 0 <= overlap < size. Got overlap {overlap} and size {size} instead")


def made_chunks(document: Document, cuts: Iterable[Cut]) -> tuple[Chunk, ...]:
    """Make records of cuts, numbered in order; what is only white space makes none."""
    made: list[Chunk] = []
    for cut in cuts:
        start, end = stripped(document.text, cut.span.start, cut.span.end)
        if start == end:
            continue
        made.append(
            Chunk(
                chunk_id=chunk_name(document.doc_id, len(made)),
                doc_id=document.doc_id,
                start=start,
                end=end,
                text=document.text[start:end],
                section_path=cut.section_path,
                page=cut.page,
                metadata=cut.metadata,
            )
        )
    return tuple(made)


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the place without white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def length_of(text: str, start: int, end: int) -> int:
    """Return how long the text at the place is without white space at its ends."""
    start, end = stripped(text, start, end)
    return end - start


def shared_path(blocks: Sequence[Block]) -> tuple[str, ...]:
    """Return the headings that all statements of the blocks stand under."""
    paths = [b.section_path for b in blocks if b.kind != "heading"] or [b.section_path for b in blocks[-1:]]
    shared = itertools.takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False))
    return tuple(level[0] for level in shared)


def paths_over(document: Document) -> Callable[[Span], tuple[str, ...]]:
    """Return what tells the headings that all of a span stands under."""
    blocks = blocks_of(document.text)

    def path(span: Span) -> tuple[str, ...]:
        start, end = stripped(document.text, span.start, span.end)
        return shared_path([b for b in blocks if b.start < end and start < b.end])

    return path


def packed(
    text: str, whole: Span, *, size: int, overlap: int, borders: tuple[regex.Pattern[str], ...] = BORDERS
) -> list[Span]:
    """Put neighbouring pieces together while they fit; begin with `overlap` characters of what came before."""
    spans: list[Span] = []
    for piece in _pieces(text, whole.start, whole.end, size, borders):
        if length_of(text, piece.start, piece.end) == 0:
            continue
        if spans and length_of(text, spans[-1].start, piece.end) <= size:
            spans[-1] = Span(spans[-1].start, piece.end)
            continue
        start = piece.start
        if spans and overlap:
            start = _overlapping(text, spans[-1], piece, size=size, overlap=overlap)
        spans.append(Span(start, piece.end))
    return spans


def _overlapping(text: str, before: Span, piece: Span, *, size: int, overlap: int) -> int:
    """Return where a chunk begins that repeats the last words of the one before, as far as it stays within `size`."""
    end = stripped(text, before.start, before.end)[1]
    first = stripped(text, before.start, before.end)[0]
    for at in range(max(end - overlap, first + 1), end):
        begins_word = not text[at].isspace() and text[at - 1].isspace()
        if begins_word and length_of(text, at, piece.end) <= size:
            return at
    return piece.start


def _pieces(text: str, start: int, end: int, size: int, borders: tuple[regex.Pattern[str], ...]) -> Iterator[Span]:
    """Yield pieces that tile [start, end), each of at most `size` characters without the space around it."""
    if length_of(text, start, end) <= size:
        yield Span(start, end)
        return
    if not borders:
        yield from _anywhere(text, start, end, size)
        return
    cuts = [match.end() for match in borders[0].finditer(text, start, end) if start < match.end() < end]
    for begin, stop in itertools.pairwise([start, *cuts, end]):
        yield from _pieces(text, begin, stop, size, borders[1:])


def _anywhere(text: str, start: int, end: int, size: int) -> Iterator[Span]:
    """Cut a run without any border, but not between a letter and the marks on it where that can be helped."""
    start, last = stripped(text, start, end)
    while last - start > size:
        cut = start + size
        while cut > start + 1 and unicodedata.combining(text[cut]):
            cut -= 1
        yield Span(start, cut)
        start = cut
    yield Span(start, end)
