"""The lists that a question gets: dense, sparse, both fused; access and hard predicates hold in every one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtriage.core.records import Document, Hit, Predicate, Principal, Ranking
from reference_rag.access import may_read
from reference_rag.conditions import Conditions
from reference_rag.dense import Embedder
from reference_rag.fusion import RRF_K, reciprocal_rank_fusion
from reference_rag.index import VectorIndex
from reference_rag.searched import SearchedChunk
from reference_rag.sparse import Bm25
from reference_rag.tokens import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Places", "Retriever", "Searching", "ranking"]

Places = list[tuple[int, float]]
"""Places of chunks in the index with their scores, best first."""

_SOFT_LIFT = 0.15  # a chunk that meets all soft predicates passes some nine others in the middle of a list


@dataclass(frozen=True, slots=True)
class Searching:
    """One search: what is looked for, by whom, under which predicates."""

    query: str
    language: str | None
    principal: Principal
    predicates: tuple[Predicate, ...]

    @property
    def hard(self) -> tuple[Predicate, ...]:
        """The predicates that filter; one of unknown mode never does."""
        return tuple(p for p in self.predicates if p.mode == "hard")

    @property
    def soft(self) -> tuple[Predicate, ...]:
        """The predicates that lift what meets them."""
        return tuple(p for p in self.predicates if p.mode != "hard")


class Retriever:
    """Searches the chunks of one corpus; may be asked from several threads at once."""

    def __init__(
        self,
        chunks: Sequence[SearchedChunk],
        documents: dict[str, Document],
        *,
        embedder: Embedder | None,
        sparse: Bm25 | None,
        query_cache: bool,
    ) -> None:
        self.chunks = chunks
        self.embedder = embedder
        self.sparse = sparse
        self._documents = documents
        self._conditions = Conditions.of(documents.values())
        self._cache: dict[str, NDArray[np.float32]] | None = {} if query_cache else None
        self._lock = threading.Lock()
        self._index: VectorIndex | None = None
        if embedder is not None:
            vectors = embedder.passages([c.text for c in chunks])
            self._index = VectorIndex(vectors, [c.chunk for c in chunks], documents, self._conditions)

    def embed(self, query: str) -> tuple[NDArray[np.float32] | None, bool | None]:
        """Return the vector of a query and whether it was in memory; None, None without an embedder or a cache."""
        if self.embedder is None or not self.chunks:
            return None, None
        if self._cache is None:
            return self.embedder.query(query), None
        with self._lock:
            known = query in self._cache
            if not known:
                self._cache[query] = self.embedder.query(query)
            return self._cache[query], known

    def search_dense(self, vector: NDArray[np.float32], searching: Searching, *, depth: int) -> Places:
        """Return the nearest chunks that may be returned."""
        if self._index is None:
            return []
        return self._index.search(vector, principal=searching.principal, predicates=searching.hard, depth=depth)

    def search_sparse(self, searching: Searching, *, depth: int) -> Places:
        """Return the chunks that share most with the query's terms, among those that may be returned."""
        import numpy as np  # noqa: PLC0415 - loaded with the first search

        if self.sparse is None:
            return []
        hard, principal = searching.hard, searching.principal
        kept = {
            name
            for name, document in self._documents.items()
            if may_read(document, principal) and all(self._conditions.meets(document, p) for p in hard)
        }
        allowed = np.array([c.document.doc_id in kept for c in self.chunks], dtype=np.bool_)
        return self.sparse.search(terms(searching.query, language=searching.language), allowed=allowed, depth=depth)

    def soft_share(self, place: int, searching: Searching) -> float:
        """Return the share of the soft predicates that a chunk's document meets; 0 where there are none."""
        soft = searching.soft
        document = self.chunks[place].document
        return sum(self._conditions.meets(document, p) for p in soft) / len(soft) if soft else 0.0

    def fused(self, lists: Sequence[Places], *, depth: int) -> Places:
        """Return the lists made one by reciprocal ranks."""
        named = [[str(place) for place, _ in one] for one in lists]
        return [(int(name), score) for name, score in reciprocal_rank_fusion(named)[:depth]]

    def lifted(self, places: Places, searching: Searching) -> Places:
        """Return a list in which chunks that meet soft predicates stand higher, the others in their order."""
        scored = [
            (place, (1 + _SOFT_LIFT * self.soft_share(place, searching)) / (RRF_K + rank))
            for rank, (place, _) in enumerate(places, start=1)
        ]
        return sorted(scored, key=lambda item: -item[1])


def ranking(stage: str, places: Places, chunks: Sequence[SearchedChunk]) -> Ranking:
    """Write a list as a trace records it."""
    hits = []
    for place, score in places:
        chunk = chunks[place].chunk
        hits.append(Hit(id=chunk.chunk_id, doc_id=chunk.doc_id, start=chunk.start, end=chunk.end, score=score))
    return Ranking(stage=stage, hits=tuple(hits))
