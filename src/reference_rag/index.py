"""Vectors and what filters need to know of them, in Qdrant's embedded mode: no server, all in memory."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage.core.records import Chunk, Document, Predicate, Principal
from reference_rag.access import EVERYONE, readers, tenants
from reference_rag.conditions import Conditions, day_of, field_value
from reference_rag.optional import need

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["VectorIndex"]

_NAME = "chunks"
_FIRST_DAY, _LAST_DAY = 1, 3_652_059  # date.min and date.max as ordinals
_POINTS_AT_ONCE = 512
_DOCUMENT_FIELDS = frozenset({"doc_id", "language", "source_type", "version"})


class VectorIndex:
    """Chunks by their vectors, with tenant, roles, validity and fields as payload that every search is filtered by.

    Access is part of every search. A predicate that Qdrant cannot express exactly is decided on the documents and
    handed over as the list of points that meet it.
    """

    def __init__(
        self,
        vectors: NDArray[np.float32],
        chunks: Sequence[Chunk],
        documents: dict[str, Document],
        conditions: Conditions,
    ) -> None:
        wanted = "mode = 'dense' and 'hybrid'"
        qdrant_client = need("qdrant_client", package="qdrant-client", extra="reference", needed_for=wanted)
        self._models: Any = qdrant_client.models
        self._chunks = chunks
        self._documents = documents
        self._conditions = conditions
        self._names = {name for d in documents.values() for name in d.metadata} | _DOCUMENT_FIELDS
        self._texts = {name for name in self._names if name.isidentifier() and self._holds_texts(name)}
        self._lock = threading.Lock()
        self._client: Any = None
        present = [place for place in range(len(chunks)) if vectors[place].any()]
        if present:
            self._client = qdrant_client.QdrantClient(":memory:")
            self._fill(vectors, present)

    def _fill(self, vectors: NDArray[np.float32], present: list[int]) -> None:
        form = self._models.VectorParams(size=vectors.shape[1], distance=self._models.Distance.COSINE)
        self._client.create_collection(_NAME, vectors_config=form)
        for at in range(0, len(present), _POINTS_AT_ONCE):
            points = [
                self._models.PointStruct(id=place, vector=vectors[place].tolist(), payload=self._payload(place))
                for place in present[at : at + _POINTS_AT_ONCE]
            ]
            self._client.upsert(_NAME, points)

    def _payload(self, place: int) -> dict[str, Any]:
        document = self._documents[self._chunks[place].doc_id]
        replaced = self._conditions.replaced_from.get(document.doc_id)
        return {
            "tenant": tenants(document.tenant),
            "readers": readers(document.acl),
            "valid_from": document.valid_from.toordinal() if document.valid_from else _FIRST_DAY,
            "valid_to": document.valid_to.toordinal() if document.valid_to else _LAST_DAY,
            "replaced_from": replaced.toordinal() if replaced else _LAST_DAY + 1,
            "field": {name: field_value(document, name) for name in self._names},
        }

    def search(
        self, vector: NDArray[np.float32], *, principal: Principal, predicates: Collection[Predicate], depth: int
    ) -> list[tuple[int, float]]:
        """Return (place, cosine) of the nearest chunks that the principal may read and that meet every predicate."""
        if self._client is None or not vector.any():
            return []
        query_filter = self.filter(principal, predicates)
        with self._lock:
            answer = self._client.query_points(
                _NAME, query=vector.tolist(), query_filter=query_filter, limit=depth, with_payload=False
            )
        found = [(int(point.id), float(point.score)) for point in answer.points]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    def filter(self, principal: Principal, predicates: Collection[Predicate]) -> Any:
        """Write access and predicates as one Qdrant filter."""
        must = [
            self._among("tenant", [EVERYONE] if principal.tenant is None else [EVERYONE, tenants(principal.tenant)]),
            self._among("readers", [EVERYONE, *(f"role:{role}" for role in principal.roles)]),
        ]
        for predicate in predicates:
            must.extend(self._written(predicate))
        return self._models.Filter(must=must)

    def _written(self, predicate: Predicate) -> list[Any]:
        if predicate.field == "valid_on":
            day = day_of(predicate).toordinal()
            return [
                self._between("valid_from", lte=day),
                self._between("valid_to", gte=day),
                self._between("replaced_from", gt=day),
            ]
        key, value = f"field.{predicate.field}", predicate.value
        plain = predicate.field in self._texts
        if plain and predicate.op == "==" and isinstance(value, str):
            return [self._among(key, [value])]
        if plain and predicate.op == "in" and isinstance(value, list) and value:
            texts = [one for one in value if isinstance(one, str)]
            if len(texts) == len(value):
                return [self._among(key, texts)]
        return [self._listed(predicate)]

    def _holds_texts(self, name: str) -> bool:
        """Say whether the field is a text or absent in every document, so that Qdrant compares it as we do."""
        values = (field_value(document, name) for document in self._documents.values())
        return all(value is None or isinstance(value, str) for value in values)

    def _listed(self, predicate: Predicate) -> Any:
        kept = {d.doc_id for d in self._documents.values() if self._conditions.meets(d, predicate)}
        return self._models.HasIdCondition(
            has_id=[place for place, chunk in enumerate(self._chunks) if chunk.doc_id in kept]
        )

    def _among(self, key: str, values: list[str]) -> Any:
        return self._models.FieldCondition(key=key, match=self._models.MatchAny(any=values))

    def _between(self, key: str, **limits: int) -> Any:
        return self._models.FieldCondition(key=key, range=self._models.Range(**limits))
