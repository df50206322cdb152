"""Where a result, a context item or a citation stands: in which document, at which offsets. Never guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ragtriage.core.records import Chunk, ContextItem, Hit
from ragtriage.data.corpus import Corpus
from ragtriage.data.relevance import Passage

__all__ = ["Places"]


@dataclass(frozen=True)
class Places:
    """The corpus, and the chunks that the system indexed (None: it does not list them)."""

    corpus: Corpus | None
    chunks: tuple[Chunk, ...] | None

    @cached_property
    def chunk(self) -> Mapping[str, Chunk]:
        """The chunks by id."""
        return {chunk.chunk_id: chunk for chunk in self.chunks or ()}

    @cached_property
    def placed(self) -> Mapping[str, Passage]:
        """Where each chunk stands, by id."""
        return {i: Passage(i, chunk.doc_id, chunk.start, chunk.end) for i, chunk in self.chunk.items()}

    @cached_property
    def chunks_of(self) -> Mapping[str, list[Chunk]]:
        """The chunks by document."""
        found: dict[str, list[Chunk]] = {}
        for chunk in self.chunks or ():
            found.setdefault(chunk.doc_id, []).append(chunk)
        return found

    @cached_property
    def spans(self) -> Mapping[str, tuple[tuple[int, int], ...]] | None:
        """Where the chunks of each document stand; None where the system lists none."""
        if self.chunks is None:
            return None
        return {doc_id: tuple((c.start, c.end) for c in chunks) for doc_id, chunks in self.chunks_of.items()}

    def document_of(self, item_id: str) -> str | None:
        """Return the document behind an id: that of the chunk of this id, else the document of this id itself."""
        if item_id in self.chunk:
            return self.chunk[item_id].doc_id
        return item_id if self.corpus is not None and item_id in self.corpus.documents else None

    def passage(self, item: Hit | ContextItem) -> Passage:
        """Return where an item stands: as it says itself, else as the list of chunks or the corpus says.

        An id that is a document's own stands for the whole document where the system lists no chunks.
        """
        known = self.placed.get(item.id)
        if known is not None and item.doc_id in (None, known.doc_id):
            own = item.start, item.end
            if own[0] is None or own == (known.start, known.end):
                return known
        doc_id = item.doc_id or self.document_of(item.id)
        if item.start is not None and item.end is not None:
            return Passage(item.id, doc_id, item.start, item.end)
        if self.chunks is None and item.id == doc_id and self.corpus is not None and doc_id in self.corpus.documents:
            return Passage(item.id, doc_id, 0, len(self.corpus.documents[doc_id].text))
        return Passage(item.id, doc_id)

    def text(self, passage: Passage) -> str | None:
        """Return the text of a passage: its chunk's, else what stands at its place; None where neither is known."""
        chunk = self.chunk.get(passage.id)
        if chunk is not None:
            return chunk.text
        document = self.corpus.documents.get(passage.doc_id or "") if self.corpus is not None else None
        if document is None or passage.start is None or passage.end is None:
            return None
        return document.text[passage.start : passage.end]
