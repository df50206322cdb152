"""Chunks by size and by page: what needs neither structure nor a model."""

from __future__ import annotations

from itertools import pairwise

from ragtriage.core.records import Chunk, Document
from ragtriage.text.sections import page_starts
from reference_rag.chunking_pieces import WORDS, Cut, Span, check_sizes, made_chunks, packed, paths_over

__all__ = ["chunk_fixed", "chunk_page", "chunk_recursive"]


def chunk_fixed(document: Document, *, size: int, overlap: int = 0) -> tuple[Chunk, ...]:
    """Cut whatever stands there: as many whole words as fit `size` characters, the last `overlap` of them again.

    Raises ValueError for a size below 1 or an overlap that is not below the size.

    >>> [c.text for c in chunk_fixed(Document(doc_id="d", text="One ends. Two ends."), size=13)]
    ['One ends. Two', 'ends.']
    """
    check_sizes(size, overlap)
    spans = packed(document.text, Span(0, len(document.text)), size=size, overlap=overlap, borders=WORDS)
    path = paths_over(document)
    return made_chunks(document, [Cut(span, path(span)) for span in spans])


def chunk_recursive(document: Document, *, size: int, overlap: int = 0) -> tuple[Chunk, ...]:
    """Cut at paragraphs, else lines, else sentences, else words, else anywhere; chunks of at most `size` characters.

    `overlap`: how many characters before its own beginning a chunk may repeat, from a word's beginning on.
    Raises ValueError for a size below 1 or an overlap that is not below the size.

    >>> [(c.start, c.text) for c in chunk_recursive(Document(doc_id="d", text="parrot parrot"), size=6, overlap=3)]
    [(0, 'parrot'), (7, 'parrot')]
    """
    check_sizes(size, overlap)
    spans = packed(document.text, Span(0, len(document.text)), size=size, overlap=overlap)
    path = paths_over(document)
    return made_chunks(document, [Cut(span, path(span)) for span in spans])


def chunk_page(document: Document, *, size: int, overlap: int = 0) -> tuple[Chunk, ...]:
    r"""Make each page one chunk, however long, with its number; pages end at form feeds.

    A document that does not say where its pages end is cut as `chunk_recursive` cuts it, by `size` and `overlap`.

    >>> [(c.page, c.start, c.text) for c in chunk_page(Document(doc_id="d", text="one\ftwo\f"), size=100)]
    [(1, 0, 'one'), (2, 4, 'two')]
    """
    check_sizes(size, overlap)
    starts = page_starts(document.text)
    if not starts:
        return chunk_recursive(document, size=size, overlap=overlap)
    path = paths_over(document)
    spans = [Span(start, end) for start, end in pairwise([*starts, len(document.text)])]
    return made_chunks(document, [Cut(span, path(span), page=number) for number, span in enumerate(spans, start=1)])
