"""Chunks along the structure of a text: headings, tables, list items, paragraphs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from ragtriage.core.records import Chunk, Document
from reference_rag.blocks import Block, BlockKind, blocks_of
from reference_rag.chunking_pieces import (
    LINES,
    Cut,
    Span,
    check_sizes,
    length_of,
    made_chunks,
    packed,
    shared_path,
)

__all__ = ["chunk_structural"]

_SMALL_SECTIONS = 4  # sections that fit this part of the size together are one chunk
_SLACK = 1.5  # a section that is a little too long says more whole than in halves
_NEARLY = 1.15  # pieces of a paragraph that is cut evenly may exceed the even length by this much


def chunk_structural(document: Document, *, size: int, overlap: int = 0) -> tuple[Chunk, ...]:
    """Cut at headings; within a section keep tables, list items and paragraphs whole where they fit `size` characters.

    The size is aimed at: a section stays whole up to half more, and so does a text without headings. A heading goes
    with what follows it; neighbouring sections that together fit a quarter of the size are one chunk. A table that does
    not fit is cut between rows and carries its head in `metadata["table_head"]`; a paragraph that does not fit is cut
    evenly, as `chunk_recursive` cuts, and only there chunks overlap.
    """
    check_sizes(size, overlap)
    cuts: list[Cut] = []
    for blocks in _joined(_sections(blocks_of(document.text)), size=size // _SMALL_SECTIONS):
        path = shared_path(blocks)
        for span, head in _fill(document.text, blocks, size=size, overlap=overlap):
            cuts.append(Cut(span, path, metadata={} if head is None else {"table_head": head}))
    return made_chunks(document, cuts)


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


def _fill(text: str, blocks: list[Block], *, size: int, overlap: int) -> Iterator[tuple[Span, str | None]]:
    """Yield the spans of one section: as many whole blocks as fit, what is too long cut by itself."""
    section = Span(blocks[0].start, blocks[-1].end)
    if length_of(text, section.start, section.end) <= size * _SLACK:
        yield section, None
        return
    groups: list[list[Block]] = []
    for block in blocks:
        begins = groups[-1][0].start if groups else block.start
        after_heading = bool(groups) and all(b.kind == "heading" for b in groups[-1])
        if groups and (after_heading or length_of(text, begins, block.end) <= size):
            groups[-1].append(block)
        else:
            groups.append([block])
    for group in groups:
        whole = Span(group[0].start, group[-1].end)
        if length_of(text, whole.start, whole.end) <= size:
            yield whole, None
        else:
            yield from _cut(text, whole, group[-1], size=size, overlap=overlap)


def _cut(text: str, whole: Span, block: Block, *, size: int, overlap: int) -> Iterator[tuple[Span, str | None]]:
    """Cut one block that does not fit, headings before it included."""
    kind: BlockKind = block.kind
    length = length_of(text, whole.start, whole.end)
    if kind in {"table", "code"}:
        spans = packed(text, whole, size=size, overlap=0, borders=LINES)
    else:
        even = math.ceil(length / math.ceil(length / size) * _NEARLY)
        spans = packed(text, whole, size=max(min(size, even), overlap + 1), overlap=overlap)
    head = "\n".join(text[block.start : block.end].split("\n")[:2]) if kind == "table" else None
    for number, span in enumerate(spans):
        yield span, head if number else None
