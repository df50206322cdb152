"""Late chunking (Günther et al. 2024): a whole document is embedded at once, a chunk is the mean of its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from reference_rag.dense import Embedder, unit
from reference_rag.searched import SearchedChunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LateChunks", "TokenEmbedder", "TokenVectors", "late_vectors"]


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """The tokens of a text: vectors float32 [tokens, dimensions], places int [tokens, 2] as start and end in it."""

    vectors: NDArray[np.float32]
    places: NDArray[np.int64]


class TokenEmbedder(Embedder, Protocol):
    """An embedder that gives out the vectors of tokens before it pools them."""

    def tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the tokens of each text, each seen in the context of the whole text."""
        ...


class LateChunks:
    """An embedder that pools the chunks of known documents late, and questions as the model does."""

    def __init__(self, model: TokenEmbedder, chunks: Sequence[SearchedChunk]) -> None:
        self.model = f"{model.model}/late"
        self._model = model
        self._chunks = chunks

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the chunks it was made for, whose texts these are."""
        if list(texts) != [chunk.text for chunk in self._chunks]:
            raise ValueError("late chunking embeds the chunks of its documents, not single texts")
        return late_vectors(self._model, self._chunks)

    def more(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed other texts, each by itself: what stands around them is not known."""
        return self._model.more(texts)

    def query(self, text: str) -> NDArray[np.float32]:
        """Embed what is searched for."""
        return self._model.query(text)


def late_vectors(model: TokenEmbedder, chunks: Sequence[SearchedChunk]) -> NDArray[np.float32]:
    """Return a vector of length 1 for each chunk: the mean of the tokens that touch it, read in the whole document.

    A chunk without a token has the zero vector, which no search finds.
    """
    import numpy as np  # noqa: PLC0415 - loaded with the first vector

    documents = {chunk.document.doc_id: chunk.document for chunk in chunks}
    embedded = dict(zip(documents, model.tokens([d.text for d in documents.values()]), strict=True))
    rows = []
    for chunk in chunks:
        tokens = embedded[chunk.document.doc_id]
        starts, ends = tokens.places[:, 0], tokens.places[:, 1]
        inside = (starts < chunk.chunk.end) & (ends > chunk.chunk.start)
        empty = np.zeros(tokens.vectors.shape[1], dtype=np.float64)
        rows.append(tokens.vectors[inside].mean(axis=0, dtype=np.float64) if inside.any() else empty)
    return unit(np.stack(rows)) if rows else np.zeros((0, 0), dtype=np.float32)
