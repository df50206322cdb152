"""Masks of filters let pass what the pipeline's own Qdrant filter lets pass, and what the reading of one case says."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from ragtriage.core.records import Chunk, Document, Predicate, Principal
from ragtriage.data.corpus import corpus_of
from ragtriage.data.filter_masks import filter_mask
from ragtriage.stats.nearest import exact_neighbours, prepared
from reference_rag.conditions import Conditions
from reference_rag.index import VectorIndex

DOCUMENTS = {
    document.doc_id: document
    for document in (
        Document(doc_id="public", text="x", metadata={"locale": "en", "year": 2024}),
        Document(doc_id="staff", text="x", acl=("staff",), metadata={"locale": "en"}),
        Document(doc_id="acme", text="x", tenant="acme", metadata={"locale": "kk", "year": 2026}),
        Document(doc_id="old", text="x", valid_to=date(2025, 1, 1), metadata={"locale": "en"}),
        Document(doc_id="new", text="x", supersedes="old", valid_from=date(2025, 1, 2)),
    )
}
ROWS = [name for name in DOCUMENTS for _ in range(12)]  # twelve chunks of each document


@pytest.mark.parametrize("principal", [Principal(), Principal(tenant="acme"), Principal(tenant="b", roles=("staff",))])
@pytest.mark.parametrize(
    "predicates",
    [
        (),
        (Predicate(field="locale", value="en"),),
        (Predicate(field="locale", op="!=", value="en"),),
        (Predicate(field="year", op=">=", value=2025),),
        (Predicate(field="locale", op="in", value=["kk", "ru"]), Predicate(field="valid_on", value="2025-06-01")),
    ],
)
def test_search_behind_the_mask_is_the_search_of_the_pipeline(
    principal: Principal, predicates: tuple[Predicate, ...]
) -> None:
    random = np.random.default_rng(0)
    vectors, queries = (prepared(random.normal(size=(n, 8)), distance="cosine") for n in (len(ROWS), 6))
    chunks = [Chunk(chunk_id=f"c{at}", doc_id=name, start=0, end=1, text="x") for at, name in enumerate(ROWS)]
    index = VectorIndex(vectors, chunks, DOCUMENTS, Conditions.of(DOCUMENTS.values()))
    mask = filter_mask(corpus_of(DOCUMENTS.values()), ROWS, predicates=predicates, principal=principal)
    for row, query in enumerate(queries):
        theirs = [place for place, _ in index.search(query, principal=principal, predicates=predicates, depth=10)]
        ours = exact_neighbours(vectors, queries[row : row + 1], k=10, allowed=mask).places[0]
        assert [place for place in ours.tolist() if place >= 0] == theirs


def test_validity_and_access_are_checked_only_where_asked() -> None:
    corpus = corpus_of(DOCUMENTS.values())
    names = list(DOCUMENTS)
    assert filter_mask(corpus, names).all()
    assert filter_mask(corpus, names, as_of=date(2025, 6, 1)).tolist() == [True, True, True, False, True]
    assert filter_mask(corpus, names, principal=Principal()).tolist() == [True, False, False, True, True]
    assert filter_mask(corpus, []).shape == (0,)
    with pytest.raises(KeyError):
        filter_mask(corpus, ["nobody"])
    with pytest.raises(ValueError, match="needs a list"):
        filter_mask(corpus, names, predicates=[Predicate(field="locale", op="in", value="en")])
