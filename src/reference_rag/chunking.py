"""Documents cut into chunks whose offsets are true: `document.text[start:end] == chunk.text`, always.

Sizes are in characters. Chunks of one document begin one after the other and together hold all that is not white
space. No offset is ever searched for: pieces carry theirs from the first cut on.
"""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import regex

from ragtriage.core.identity import hash_bytes
from ragtriage.core.records import Chunk, Document
from reference_rag.blocks import Block, BlockKind, blocks_of

__all__ = ["CHUNKERS", "chunk_recursive", "chunk_structural"]

# From the strongest border to the weakest; each matches the end of a piece.
_BORDERS = (
    regex.compile(r"\n\s*\n\s*"),
    regex.compile(r"\n\s*"),
    regex.compile(r"(?<=[.!?…。！？؟।][\"'»”)]?)\s+"),
    regex.compile(r"(?<=[;:,])\s+"),
    regex.compile(r"\s+"),
)
_LINES = _BORDERS[1:2]
_LONGEST_ID = 256
_SMALL_SECTIONS = 4  # sections that fit this part of the size together are one chunk
_SLACK = 1.5  # a section that is a little too long says more whole than in halves
_NEARLY = 1.15  # pieces of a paragraph that is cut evenly may exceed the even length by this much


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int


def chunk_recursive(document: Document, *, size: int, overlap: int = 0) -> tuple[Chunk, ...]:
    """Cut at paragraphs, else lines, else sentences, else words, else anywhere; chunks of at most `size` characters.

    `overlap`: how many characters before its own beginning a chunk may repeat, from a word's beginning on.
    Raises ValueError for a size below 1 or an overlap that is not below the size.

    >>> [(c.start, c.text) for c in chunk_recursive(Document(doc_id="d", text="parrot parrot"), size=6, overlap=3)]
    [(0, 'parrot'), (7, 'parrot')]
    """
    _check(size, overlap)
    spans = _packed(document.text, _Span(0, len(document.text)), size=size, overlap=overlap)
    path = _section_paths(document)
    return _chunks(document, [(span, path(span.start), None) for span in spans])


def chunk_structural(document: Document, *, size: int, overlap: int = 0) -> tuple[Chunk, ...]:
    """Cut at headings; within a section keep tables, list items and paragraphs whole where they fit `size` characters.

    The size is aimed at: a section stays whole up to half more, and so does a text without headings. A heading goes
    with what follows it; neighbouring sections that together fit a quarter of the size are one chunk. A table that does
    not fit is cut between rows and carries its head in `metadata["table_head"]`; a paragraph that does not fit is cut
    evenly, as `chunk_recursive` cuts, and only there chunks overlap.
    """
    _check(size, overlap)
    pieces: list[tuple[_Span, tuple[str, ...], str | None]] = []
    for blocks in _joined(_sections(blocks_of(document.text)), size=size // _SMALL_SECTIONS):
        path = _shared_path(blocks)
        for span, head in _fill(document.text, blocks, size=size, overlap=overlap):
            pieces.append((span, path, head))
    return _chunks(document, pieces)


CHUNKERS: dict[str, Callable[..., tuple[Chunk, ...]]] = {
    "structural": chunk_structural,
    "recursive": chunk_recursive,
}


def _check(size: int, overlap: int) -> None:
    if size < 1 or not 0 <= overlap < size:
        raise ValueError(f"chunks need 0 <= overlap < size. Got overlap {overlap} and size {size} instead")


def _chunks(document: Document, pieces: list[tuple[_Span, tuple[str, ...], str | None]]) -> tuple[Chunk, ...]:
    """Make records of spans, without the white space around them."""
    made: list[Chunk] = []
    for span, path, head in pieces:
        start, end = _stripped(document.text, span.start, span.end)
        if start == end:
            continue
        made.append(
            Chunk(
                chunk_id=_chunk_id(document.doc_id, len(made)),
                doc_id=document.doc_id,
                start=start,
                end=end,
                text=document.text[start:end],
                section_path=path,
                metadata={} if head is None else {"table_head": head},
            )
        )
    return tuple(made)


def _chunk_id(doc_id: str, number: int) -> str:
    """Name a chunk by its document and number; a long name of a document is cut and told apart by its hash."""
    whole = f"{doc_id}#{number}"
    return (
        whole if len(whole) <= _LONGEST_ID else f"{doc_id[:180].rstrip()}~{hash_bytes(doc_id.encode())[:32]}#{number}"
    )


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _length(text: str, start: int, end: int) -> int:
    start, end = _stripped(text, start, end)
    return end - start


def _section_paths(document: Document) -> Callable[[int], tuple[str, ...]]:
    blocks = blocks_of(document.text)

    def path(at: int) -> tuple[str, ...]:
        return next((b.section_path for b in reversed(blocks) if b.start <= at), ())

    return path


def _sections(blocks: list[Block]) -> Iterator[list[Block]]:
    """Yield the blocks of each section; a heading with nothing under it goes with the next one."""
    current: list[Block] = []
    for block in blocks:
        if block.kind == "heading" and any(b.kind != "heading" for b in current):
            yield current
            current = []
        current.append(block)
    if current:
        yield current


def _joined(sections: Iterable[list[Block]], *, size: int) -> Iterator[list[Block]]:
    """Put neighbouring small sections under one parent together, at most `size` characters; alone they say little."""
    current: list[Block] = []
    for section in sections:
        fits = bool(current) and section[-1].end - current[0].start <= size
        if fits and current[-1].section_path[:1] == section[-1].section_path[:1]:
            current.extend(section)
            continue
        if current:
            yield current
        current = list(section)
    if current:
        yield current


def _shared_path(blocks: list[Block]) -> tuple[str, ...]:
    """Return the headings that all statements of the blocks stand under."""
    paths = [b.section_path for b in blocks if b.kind != "heading"] or [blocks[-1].section_path]
    shared = itertools.takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False))
    return tuple(level[0] for level in shared)


def _fill(text: str, blocks: list[Block], *, size: int, overlap: int) -> Iterator[tuple[_Span, str | None]]:
    """Yield the spans of one section: as many whole blocks as fit, what is too long cut by itself."""
    section = _Span(blocks[0].start, blocks[-1].end)
    if _length(text, section.start, section.end) <= size * _SLACK:
        yield section, None
        return
    groups: list[list[Block]] = []
    for block in blocks:
        begins = groups[-1][0].start if groups else block.start
        after_heading = bool(groups) and all(b.kind == "heading" for b in groups[-1])
        if groups and (after_heading or _length(text, begins, block.end) <= size):
            groups[-1].append(block)
        else:
            groups.append([block])
    for group in groups:
        whole = _Span(group[0].start, group[-1].end)
        if _length(text, whole.start, whole.end) <= size:
            yield whole, None
        else:
            yield from _cut(text, whole, group[-1], size=size, overlap=overlap)


def _cut(text: str, whole: _Span, block: Block, *, size: int, overlap: int) -> Iterator[tuple[_Span, str | None]]:
    """Cut one block that does not fit, headings before it included."""
    kind: BlockKind = block.kind
    length = _length(text, whole.start, whole.end)
    if kind in {"table", "code"}:
        spans = _packed(text, whole, size=size, overlap=0, borders=_LINES)
    else:
        even = math.ceil(length / math.ceil(length / size) * _NEARLY)
        spans = _packed(text, whole, size=max(min(size, even), overlap + 1), overlap=overlap)
    head = "\n".join(text[block.start : block.end].split("\n")[:2]) if kind == "table" else None
    for number, span in enumerate(spans):
        yield span, head if number else None


def _packed(
    text: str, whole: _Span, *, size: int, overlap: int, borders: tuple[regex.Pattern[str], ...] = _BORDERS
) -> list[_Span]:
    """Put neighbouring pieces together while they fit; begin with `overlap` characters of what came before."""
    pieces = list(_pieces(text, whole.start, whole.end, size, borders))
    packed: list[_Span] = []
    for piece in pieces:
        if _length(text, piece.start, piece.end) == 0:
            continue
        if packed and _length(text, packed[-1].start, piece.end) <= size:
            packed[-1] = _Span(packed[-1].start, piece.end)
            continue
        start = piece.start
        if packed and overlap:
            start = _overlapping(text, packed[-1], piece, size=size, overlap=overlap)
        packed.append(_Span(start, piece.end))
    return packed


def _overlapping(text: str, before: _Span, piece: _Span, *, size: int, overlap: int) -> int:
    """Return where a chunk begins that repeats the last words of the one before, as far as it stays within `size`."""
    end = _stripped(text, before.start, before.end)[1]
    first = _stripped(text, before.start, before.end)[0]
    for at in range(max(end - overlap, first + 1), end):
        begins_word = not text[at].isspace() and text[at - 1].isspace()
        if begins_word and _length(text, at, piece.end) <= size:
            return at
    return piece.start


def _pieces(text: str, start: int, end: int, size: int, borders: tuple[regex.Pattern[str], ...]) -> Iterator[_Span]:
    """Yield pieces that tile [start, end), each of at most `size` characters without the space around it."""
    if _length(text, start, end) <= size:
        yield _Span(start, end)
        return
    if not borders:
        yield from _anywhere(text, start, end, size)
        return
    cuts = [match.end() for match in borders[0].finditer(text, start, end) if start < match.end() < end]
    for begin, stop in itertools.pairwise([start, *cuts, end]):
        yield from _pieces(text, begin, stop, size, borders[1:])


def _anywhere(text: str, start: int, end: int, size: int) -> Iterator[_Span]:
    """Cut a run without any border, but not between a letter and the marks on it where that can be helped."""
    start, last = _stripped(text, start, end)
    while last - start > size:
        cut = start + size
        while cut > start + 1 and unicodedata.combining(text[cut]):
            cut -= 1
        yield _Span(start, cut)
        start = cut
    yield _Span(start, end)
