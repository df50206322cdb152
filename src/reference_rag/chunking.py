"""Documents cut into chunks whose offsets are true: `document.text[start:end] == chunk.text`, always."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragtriage.core.records import Chunk, Document
from reference_rag.chunking_contextual import Contextualiser
from reference_rag.chunking_plain import chunk_fixed, chunk_page, chunk_recursive
from reference_rag.chunking_semantic import chunk_semantic
from reference_rag.chunking_structural import chunk_structural
from reference_rag.dense import Embedder
from reference_rag.settings import Settings
from reference_rag.tokens import CHARACTERS_PER_TOKEN

__all__ = ["CHUNKERS", "cut"]

CHUNKERS: dict[str, Callable[..., tuple[Chunk, ...]]] = {
    "structural": chunk_structural,
    "recursive": chunk_recursive,
    "fixed": chunk_fixed,
    "page": chunk_page,
}
"""The ways that need a document alone. `late` and `contextual` cut as `structural` does: what they change is how a
chunk is found."""


def cut(
    documents: Sequence[Document],
    settings: Settings,
    *,
    sentence_embedder: Callable[[], Embedder],
    contextualiser: Contextualiser | None,
) -> list[Chunk]:
    """Cut the documents as the settings say.

    `sentence_embedder` opens what `semantic` compares sentences by; `contextualiser` says for `contextual` where a
    chunk stands. Its words are in `metadata["context"]`, and never in the chunk's text.
    """
    size, overlap = (n * CHARACTERS_PER_TOKEN for n in (settings.chunk_size, settings.overlap))
    if settings.chunker == "semantic":
        made = chunk_semantic(
            documents, size=size, embedder=sentence_embedder(), percentile=settings.semantic_percentile
        )
        return [chunk for own in made for chunk in own]
    chunker = CHUNKERS.get(settings.chunker, chunk_structural)
    chunks = [chunk for document in documents for chunk in chunker(document, size=size, overlap=overlap)]
    if contextualiser is None:
        return chunks
    return contextualiser.explained(chunks, {document.doc_id: document for document in documents})
