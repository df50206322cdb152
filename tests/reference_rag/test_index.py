"""Qdrant's filters and our own reading of predicates keep the same chunks."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.errors import BadInput
from ragtriage.core.records import Chunk, Document, Predicate, Principal
from reference_rag.access import may_read
from reference_rag.conditions import Conditions
from reference_rag.index import VectorIndex

DAYS = st.sampled_from([None, date(2025, 1, 1), date(2025, 6, 1), date(2026, 1, 1)])
VALUES = st.sampled_from(["a", "b", 1, 2.5, True, None, ["a", "c"], "2025-06-01"])
ROLES = st.lists(st.sampled_from(["staff", "risk", "*"]), max_size=2, unique=True).map(tuple)
TENANTS = st.sampled_from([None, "arlan", "steppe", "*"])
PREDICATES = st.builds(
    Predicate,
    field=st.sampled_from(["kind", "locale", "language", "doc_id", "absent", "a.b"]),
    op=st.sampled_from(["==", "!=", "<", ">=", "contains"]),
    value=st.sampled_from(["a", "b", 1, True, None, "2025-06-01", "d1"]),
    mode=st.just("hard"),
) | st.builds(
    Predicate,
    field=st.sampled_from(["kind", "locale", "language"]),
    op=st.sampled_from(["in", "not_in"]),
    value=st.lists(st.sampled_from(["a", "b", "en"]), max_size=2),
    mode=st.just("hard"),
) | st.builds(
    Predicate, field=st.just("valid_on"), value=st.sampled_from(["2024-12-31", "2025-06-01", "2026-01-01"]),
    mode=st.just("hard"),
)  # fmt: skip


@st.composite
def corpora(draw: st.DrawFn) -> dict[str, Document]:
    documents = {}
    for n in range(draw(st.integers(1, 4))):
        metadata = draw(st.fixed_dictionaries({}, optional={"kind": VALUES, "locale": st.sampled_from(["a", "b"])}))
        documents[f"d{n}"] = Document(
            doc_id=f"d{n}",
            text="x",
            tenant=draw(TENANTS),
            acl=draw(ROLES),
            language=draw(st.sampled_from([None, "en", "a"])),
            valid_from=draw(DAYS),
            valid_to=draw(DAYS),
            supersedes=f"d{n - 1}" if n and draw(st.booleans()) else None,
            metadata=metadata,
        )
    return documents


def indexed(documents: dict[str, Document]) -> VectorIndex:
    chunks = [Chunk(chunk_id=f"{name}#0", doc_id=name, start=0, end=1, text="x") for name in documents]
    vectors = np.ones((len(chunks), 2), dtype=np.float32)
    return VectorIndex(vectors, chunks, documents, Conditions.of(documents.values()))


@settings(max_examples=50, deadline=None)
@given(corpora(), st.lists(PREDICATES, max_size=2), st.builds(Principal, tenant=TENANTS, roles=ROLES))
def test_the_index_keeps_what_access_and_predicates_keep(
    documents: dict[str, Document], predicates: list[Predicate], principal: Principal
) -> None:
    conditions = Conditions.of(documents.values())
    expected = [
        place
        for place, document in enumerate(documents.values())
        if may_read(document, principal) and all(conditions.meets(document, p) for p in predicates)
    ]
    vector = np.ones(2, dtype=np.float32)
    found = indexed(documents).search(vector, principal=principal, predicates=predicates, depth=10)
    assert [place for place, _ in found] == expected


def test_a_document_ends_when_its_successor_begins_and_not_before() -> None:
    old = Document(doc_id="old", text="x", valid_from=date(2025, 1, 1))
    new = Document(doc_id="new", text="x", valid_from=date(2026, 3, 1), supersedes="old")
    conditions = Conditions.of([old, new])

    def on(day: str) -> list[bool]:
        return [conditions.meets(d, Predicate(field="valid_on", value=day)) for d in (old, new)]

    assert on("2024-12-31") == [False, False]
    assert on("2026-02-28") == [True, False]
    assert on("2026-03-01") == [False, True]


@pytest.mark.parametrize("value", ["soon", 20260301, None])
def test_a_day_that_is_none_is_refused(value: object) -> None:
    predicate = Predicate(field="valid_on", value=value)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="valid_on"):
        Conditions({}).meets(Document(doc_id="d", text=""), predicate)


def test_a_zero_vector_finds_nothing_and_is_not_found() -> None:
    documents = {"d0": Document(doc_id="d0", text="x"), "d1": Document(doc_id="d1", text="x")}
    chunks = [Chunk(chunk_id=f"{name}#0", doc_id=name, start=0, end=1, text="x") for name in documents]
    vectors = np.array([[0, 0], [1, 0]], dtype=np.float32)
    index = VectorIndex(vectors, chunks, documents, Conditions({}))
    everyone = Principal()
    zero, one = np.zeros(2, dtype=np.float32), np.array([1, 0], dtype=np.float32)
    assert index.search(zero, principal=everyone, predicates=(), depth=5) == []
    assert [place for place, _ in index.search(one, principal=everyone, predicates=(), depth=5)] == [1]
