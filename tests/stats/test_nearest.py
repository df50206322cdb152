"""Exact neighbours against FAISS's flat index, Qdrant's embedded mode and a slow loop."""

from __future__ import annotations

from typing import Any

import faiss
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qdrant_client import models

from ragtriage.models.qdrant_index import QdrantIndex
from ragtriage.stats import nearest
from ragtriage.stats.nearest import Distance, exact_neighbours, filtered_neighbours, prepared

DISTANCES: tuple[Distance, ...] = ("cosine", "dot", "euclid")


def rows(count: int, width: int, *, seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=(count, width))


def slow(vectors: Any, query: Any, k: int, distance: Distance, allowed: Any = None) -> list[int]:
    """One product at a time, in double precision."""
    near = []
    for place, row in enumerate(vectors.astype(np.float64)):
        if allowed is None or allowed[place]:
            other = query.astype(np.float64)
            value = -float(np.sqrt(((row - other) ** 2).sum())) if distance == "euclid" else float((row * other).sum())
            near.append((-value, place))
    found = [place for _, place in sorted(near)[:k]]
    return found + [-1] * (k - len(found))


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_neighbours_are_those_of_the_flat_index_of_faiss(distance: Distance) -> None:
    vectors, queries = (prepared(rows(n, 48, seed=n), distance=distance) for n in (3000, 70))
    flat = faiss.IndexFlatL2(48) if distance == "euclid" else faiss.IndexFlatIP(48)
    flat.add(vectors)
    scores, places = flat.search(queries, 10)
    found = exact_neighbours(vectors, queries, k=10, distance=distance)
    assert np.array_equal(found.places, places)
    theirs = -np.sqrt(scores) if distance == "euclid" else scores
    np.testing.assert_allclose(found.scores, theirs, rtol=0, atol=1e-4)


@pytest.mark.parametrize("distance", DISTANCES)
@settings(max_examples=60, deadline=None)
@given(
    grid=st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=14),
    asked=st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=4),
    k=st.integers(1, 6),
    data=st.data(),
)
def test_a_slow_loop_agrees_with_ties_repeats_and_masks(
    distance: Distance, grid: list[Any], asked: list[Any], k: int, data: st.DataObject
) -> None:
    vectors, queries = (prepared(np.array(part, dtype=float), distance=distance) for part in (grid, asked))
    mask = data.draw(st.none() | st.lists(st.booleans(), min_size=len(grid), max_size=len(grid)))
    allowed = None if mask is None else np.array(mask, dtype=bool)
    found = exact_neighbours(vectors, queries, k=k, distance=distance, allowed=allowed)
    assert found.places.tolist() == [slow(vectors, query, k, distance, allowed) for query in queries]


def test_the_size_of_a_batch_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, queries = (prepared(rows(n, 16, seed=n), distance="cosine") for n in (500, 40))
    vectors[100:140] = vectors[7]  # ties at the border
    whole = exact_neighbours(vectors, queries, k=9)
    monkeypatch.setattr(nearest, "_BLOCK_CELLS", 1500)
    monkeypatch.setattr(nearest, "_RANKED_CELLS", 64)
    parts = exact_neighbours(vectors, queries, k=9)
    assert np.array_equal(whole.places, parts.places)
    assert np.array_equal(whole.scores, parts.scores)


def test_many_equal_rows_and_a_mask_that_takes_whole_stretches_change_nothing() -> None:
    vectors, queries = (prepared(rows(n, 8, seed=n), distance="dot") for n in (2600, 3))
    vectors[500:1900] = vectors[3]
    allowed = np.ones(2600, dtype=bool)
    allowed[:: 2600 // 32] = False
    allowed[1200:2200] = False
    for mask in (None, allowed):
        found = exact_neighbours(vectors, queries, k=12, distance="dot", allowed=mask)
        assert found.places.tolist() == [slow(vectors, query, 12, "dot", mask) for query in queries]


def test_huge_numbers_and_zeros_are_ranked_and_bad_ones_refused() -> None:
    vectors = prepared([[1e30, 0.0], [0.0, 0.0], [1e-30, 1e-30]], distance="cosine")
    assert exact_neighbours(vectors, vectors[:1], k=3).places.tolist() == [[0, 2, 1]]
    with pytest.raises(ValueError, match="row 1 of the vectors"):
        prepared([[1.0], [np.inf]], distance="dot")
    with pytest.raises(ValueError, match="row 0 of the vectors holds numbers that are not below"):
        prepared([[1e16]], distance="euclid")
    with pytest.raises(ValueError, match="row 0 of the vectors holds numbers that are not finite"):
        prepared([[1e300]], distance="cosine")
    with pytest.raises(ValueError, match="a table of rows"):
        prepared([1.0], distance="dot")
    with pytest.raises(ValueError, match="k must be 1"):
        exact_neighbours(vectors, vectors, k=0)
    for rows_given, asked in ((vectors, 2 * vectors), (2 * vectors, vectors)):
        with pytest.raises(ValueError, match="row 0 has length 2 and not 1"):
            exact_neighbours(rows_given, asked, k=1)
    with pytest.raises(ValueError, match="dimensions"):
        exact_neighbours(vectors, np.zeros((1, 3), dtype=np.float32), k=1)
    with pytest.raises(ValueError, match="a mask is one bool"):
        exact_neighbours(vectors, vectors, k=1, allowed=np.array([1, 0, 1]))
    with pytest.raises(ValueError, match="number of one of 1 masks"):
        filtered_neighbours(vectors, vectors, k=1, masks=np.ones((1, 3), dtype=bool), mask_of=[0, 1, 0])


@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 1.0])
def test_a_filter_finds_what_the_embedded_qdrant_finds_behind_its_own(share: float) -> None:
    vectors, queries = (prepared(rows(n, 24, seed=n), distance="cosine") for n in (800, 12))
    tenants = np.random.default_rng(3).random(800) < share
    payloads = [{"tenant": "a" if mine else "b"} for mine in tenants]
    index = QdrantIndex.filled(vectors, payloads=payloads)
    condition = models.FieldCondition(key="tenant", match=models.MatchValue(value="a"))
    theirs = index.search_where(queries, k=10, query_filter=models.Filter(must=[condition]))
    masks = np.stack([~tenants, tenants])
    ours = filtered_neighbours(vectors, queries, k=10, masks=masks, mask_of=[1] * 12)
    assert np.array_equal(ours.places, theirs.places)
    np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-6)
    assert np.array_equal(index.search(queries, k=10, allowed=tenants).places, ours.places)


def test_each_query_is_searched_behind_its_own_filter() -> None:
    vectors, queries = (prepared(rows(n, 8, seed=n), distance="dot") for n in (60, 9))
    masks = np.random.default_rng(5).random((3, 60)) < 0.4
    which = [0, 2, 1, 0, 1, 2, 2, 0, 1]
    found = filtered_neighbours(vectors, queries, k=5, masks=masks, mask_of=which, distance="dot")
    expected = [slow(vectors, query, 5, "dot", masks[mask]) for query, mask in zip(queries, which, strict=True)]
    assert found.places.tolist() == expected
