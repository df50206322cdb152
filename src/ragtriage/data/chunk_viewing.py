"""The chunks of a system as the views that metrics of chunking take."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ragtriage.core.chunk_views import (
    AttributionView,
    BordersView,
    EvidenceSplitView,
    HierarchyView,
    SentencesView,
    Span,
)
from ragtriage.core.records import Case, Chunk
from ragtriage.data.corpus import Corpus
from ragtriage.data.relevance import gold_of
from ragtriage.stats.sentence_pairs import sentence_pairs
from ragtriage.text.sections import Sections, page_starts, sections_of
from ragtriage.text.sentences import sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ChunkedCorpus", "evidence_split_view", "sentences_by_chunk"]


@dataclass(frozen=True)
class ChunkedCorpus:
    """A corpus and the chunks that a system indexed of it."""

    corpus: Corpus
    chunks: tuple[Chunk, ...]

    @cached_property
    def spans(self) -> Mapping[str, tuple[Span, ...]]:
        """The spans of the chunks by document, in the order of the list."""
        found: dict[str, list[Span]] = {}
        for chunk in self.chunks:
            found.setdefault(chunk.doc_id, []).append((chunk.start, chunk.end))
        return {doc_id: tuple(spans) for doc_id, spans in found.items()}

    @cached_property
    def sections(self) -> Mapping[str, Sections]:
        """The sections of each document that has chunks."""
        return {d: sections_of(self.corpus.documents[d].text) for d in self.spans if d in self.corpus.documents}

    @cached_property
    def paged(self) -> frozenset[str]:
        """The documents whose text says where its pages begin."""
        return frozenset(d for d in self.sections if page_starts(self.corpus.documents[d].text))

    def borders_view(self, doc_id: str) -> BordersView:
        """Return what stands between the chunks of one document of the corpus."""
        return BordersView(self.corpus.documents[doc_id].text, self.spans.get(doc_id, ()))

    def sentences(self, doc_id: str) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
        """Return the sentences of one document of the corpus, and for each of its chunks the indices of its own."""
        return sentences_by_chunk(self.corpus.documents[doc_id].text, self.spans.get(doc_id, ()))

    def sentences_views(self, embed: Callable[[Sequence[str]], NDArray[np.floating]]) -> dict[str, SentencesView]:
        """Return by document how alike its sentences are; `embed` is asked once, for the sentences of all of them."""
        cut = {doc_id: self.sentences(doc_id) for doc_id in self.sections}
        vectors = embed([sentence for sentences, _ in cut.values() for sentence in sentences])
        found, at = {}, 0
        for doc_id, (own, chunks) in cut.items():
            found[doc_id] = sentence_pairs(vectors[at : at + len(own)], chunks)
            at += len(own)
        return found

    def attribution_view(self, chunk: Chunk) -> AttributionView:
        """Return one chunk beside the document that it points to.

        An anchor is wanted where the document has pages, or where the chunk stands under a heading.
        """
        document = self.corpus.documents.get(chunk.doc_id)
        wanted = document is not None and (chunk.doc_id in self.paged or bool(self._path(chunk)))
        anchored = chunk.page is not None or bool(chunk.section_path)
        return AttributionView(
            chunk.text,
            chunk.start,
            chunk.end,
            document=None if document is None else document.text,
            anchored=anchored if anchored or wanted else None,
        )

    def hierarchy_view(self, chunk: Chunk) -> HierarchyView:
        """Return where one chunk says that it stands, and where it stands.

        The headings over it are read from Markdown or HTML. A text that stands in another document alone belongs there;
        one that stands in the right document, but not at its offsets, has a path that nobody knows.
        """
        document = self.corpus.documents.get(chunk.doc_id)
        at_place = document is not None and document.text[chunk.start : chunk.end] == chunk.text
        if document is not None and (at_place or chunk.text in document.text):
            path = self._path(chunk) if at_place else None
            return HierarchyView(chunk.doc_id, chunk.section_path, chunk.doc_id, path)
        others = (d.doc_id for d in self.corpus.documents.values() if chunk.text.strip() and chunk.text in d.text)
        return HierarchyView(chunk.doc_id, chunk.section_path, next(others, None), None)

    def _path(self, chunk: Chunk) -> tuple[str, ...]:
        return self.sections[chunk.doc_id].path(chunk.start, chunk.end)


def evidence_split_view(case: Case, corpus: Corpus, spans: Mapping[str, tuple[Span, ...]] | None) -> EvidenceSplitView:
    """Return the relevant eligible gold spans of a case and the spans of the chunks of their documents.

    Evidence without offsets is a whole document and no span; `spans` None: the system lists no chunks.
    """
    gold = gold_of(case, corpus)
    found: list[tuple[str, int, int]] = []
    for group in gold.needed:
        for span in group.eligible:
            document = corpus.documents.get(span.doc_id)
            if span.start is None or span.end is None or document is None or span.start >= span.end:
                continue
            text = document.text[span.start : span.end]
            start = span.start + len(text) - len(text.lstrip())
            if text.strip():
                found.append((span.doc_id, start, start + len(text.strip())))
    unique = tuple(dict.fromkeys(found))
    chunks = None if spans is None else {doc_id: spans.get(doc_id, ()) for doc_id, _, _ in unique}
    return EvidenceSplitView(unique, chunks)


def sentences_by_chunk(text: str, spans: Iterable[Span]) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Return the sentences of a text, and for each chunk, in the order of the text, the indices of its own.

    A sentence belongs to every chunk that holds at least half of it. Table rows count, their heads do not.

    >>> sentences_by_chunk("One. Two. Three.", [(5, 16), (0, 9)])
    (('One.', 'Two.', 'Three.'), ((0, 1), (1, 2)))
    """
    found = [sentence for sentence in sentences(text) if sentence.kind != "header"]
    starts: Sequence[int] = [sentence.start for sentence in found]
    ends: Sequence[int] = [sentence.end for sentence in found]
    chunks: list[tuple[int, ...]] = []
    for start, end in sorted(spans):
        near = range(bisect.bisect_right(ends, start), bisect.bisect_left(starts, end))
        chunks.append(
            tuple(at for at in near if 2 * (min(end, ends[at]) - max(start, starts[at])) >= ends[at] - starts[at])
        )
    return tuple(sentence.text for sentence in found), tuple(chunks)
