"""Chunks where the subject changes: between sentences whose neighbourhoods are least alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ragtriage.core.records import Chunk, Document
from ragtriage.text.sentences import sentences
from reference_rag.blocks import blocks_of
from reference_rag.chunking_pieces import Cut, Span, made_chunks, packed, paths_over
from reference_rag.dense import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["chunk_semantic"]

_NEIGHBOURS = 2  # sentences on either side of a place whose mean vectors are compared


def chunk_semantic(
    documents: Sequence[Document], *, size: int, embedder: Embedder, percentile: float
) -> list[tuple[Chunk, ...]]:
    """Cut each document where neighbouring sentences are less alike than at most places of all the documents.

    `percentile`: the share of places between sentences, the least alike ones, that become borders. A chunk longer than
    `size` characters is cut again at its least alike place. A table, a code block and a list item count as one
    sentence, and a heading belongs to what follows it, where they fit. Chunks do not overlap.
    Raises ValueError for a size below 1 or a percentile outside [0, 100].
    """
    import numpy as np  # noqa: PLC0415 - loaded with the first vector

    if size < 1 or not 0 <= percentile <= 100:  # noqa: PLR2004 - the percentages
        raise ValueError(f"size must be 1 or more and percentile in [0, 100]. Got {size} and {percentile} instead")
    pieces = [list(_sentences(document.text, size)) for document in documents]
    texts = [d.text[p.start : p.end] for d, own in zip(documents, pieces, strict=True) for p in own]
    vectors = embedder.passages(texts)
    likeness: list[NDArray[np.float64]] = []
    at = 0
    for own in pieces:
        likeness.append(_likeness(vectors[at : at + len(own)]))
        at += len(own)
    places = np.concatenate([*likeness, np.zeros(0)])
    least = float(np.percentile(places, percentile, method="lower")) if len(places) else 0.0
    made = []
    for document, own, alike in zip(documents, pieces, likeness, strict=True):
        path = paths_over(document)
        spans = _joined(own, alike, least=least if percentile > 0 else -np.inf, size=size)
        made.append(made_chunks(document, [Cut(span, path(span)) for span in spans]))
    return made


def _sentences(text: str, size: int) -> Iterator[Span]:
    """Yield spans that tile the text but for white space, in order, each of at most `size` characters."""
    heading: int | None = None
    blocks = blocks_of(text)
    for number, block in enumerate(blocks):
        start = block.start if heading is None else heading
        if block.kind == "heading" and number + 1 < len(blocks):
            heading = start
            continue
        heading = None
        cuts = [start]
        if block.kind == "paragraph":
            cuts.extend(block.start + s.start for s in sentences(text[block.start : block.end])[1:])
        for begin, end in pairwise([*cuts, block.end]):
            yield from packed(text, Span(begin, end), size=size, overlap=0)


def _likeness(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return for each place between two sentences the cosine of the mean vectors of its two sides."""
    import numpy as np  # noqa: PLC0415

    found = []
    for place in range(1, len(vectors)):
        before = vectors[max(0, place - _NEIGHBOURS) : place].mean(axis=0, dtype=np.float64)
        behind = vectors[place : place + _NEIGHBOURS].mean(axis=0, dtype=np.float64)
        lengths = float(np.linalg.norm(before) * np.linalg.norm(behind))
        found.append(float(before @ behind) / lengths if lengths > 0 else 0.0)
    return np.array(found, dtype=np.float64)


def _joined(pieces: Sequence[Span], alike: NDArray[np.float64], *, least: float, size: int) -> Iterator[Span]:
    """Yield runs of sentences: cut at every place of at most `least`, then at the least alike one while too long."""
    waiting = [(0, len(pieces))] if pieces else []
    while waiting:
        first, last = waiting.pop()
        inner = alike[first : last - 1]
        place = int(inner.argmin()) if len(inner) else -1
        too_long = pieces[last - 1].end - pieces[first].start > size
        if place >= 0 and (too_long or inner[place] <= least):
            middle = first + place + 1
            waiting += [(middle, last), (first, middle)]
        else:
            yield Span(pieces[first].start, pieces[last - 1].end)
