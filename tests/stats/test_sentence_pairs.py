"""Sums of cosines over pairs of sentences, against a double loop over sets that knows nothing of sums."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragtriage.core.chunk_views import PairCosines
from ragtriage.stats.sentence_pairs import comparable, sentence_pairs

COUNT = 8


def plain(vectors: NDArray[Any], chunks: list[list[int]], *, adjacent: bool) -> tuple[list[float], list[float]]:
    """The cosines within and across, pair by pair."""
    filled = [set(chunk) for chunk in chunks if chunk]
    kinds: tuple[list[float], list[float]] = [], []
    for a, b in itertools.combinations(range(len(vectors)), 2):
        if not vectors[a].any() or not vectors[b].any() or (adjacent and b != a + 1):
            continue
        cosine = math.fsum(x * y for x, y in zip(vectors[a], vectors[b], strict=True)) / (
            math.hypot(*vectors[a]) * math.hypot(*vectors[b])
        )
        if any({a, b} <= chunk for chunk in filled):
            kinds[0].append(cosine)
        elif any((a in one and b in two) or (b in one and a in two) for one, two in itertools.pairwise(filled)):
            kinds[1].append(cosine)
    return kinds


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 10_000),
    st.lists(st.lists(st.integers(0, COUNT - 1), max_size=COUNT), max_size=5),
    st.lists(st.integers(0, COUNT - 1), max_size=2),
)
def test_sums_equal_a_double_loop_whatever_the_chunks_share(
    seed: int, chunks: list[list[int]], zeros: list[int]
) -> None:
    vectors = np.random.default_rng(seed).normal(size=(COUNT, 5))
    vectors[zeros] = 0.0
    view = sentence_pairs(vectors, chunks)
    for found, adjacent in ((view.every, False), (view.adjacent, True)):
        within, across = plain(vectors, chunks, adjacent=adjacent)
        assert (found.within_pairs, found.across_pairs) == (len(within), len(across))
        assert found.within == pytest.approx(math.fsum(within), abs=1e-9)
        assert found.across == pytest.approx(math.fsum(across), abs=1e-9)
    if not zeros:
        within, across = plain(vectors, chunks, adjacent=False)
        assert comparable(chunks) == bool(within and across)


def test_lengths_from_the_least_to_the_largest_number_do_not_matter() -> None:
    sizes = np.array([[1e-300], [1e300], [1.0]])
    found = sentence_pairs(np.array([[1.0, 1.0], [1.0, 1.0], [1.0, -1.0]]) * sizes, [(0, 1), (2,)]).every
    assert found == PairCosines(pytest.approx(1.0), 1, pytest.approx(0.0, abs=1e-12), 2)


def test_a_vector_with_a_number_that_is_not_finite_is_in_no_pair() -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [math.nan, 1.0], [math.inf, 0.0]])
    assert sentence_pairs(vectors, [(0, 1, 2), (3,)]).every == PairCosines(1.0, 1, 0.0, 0)


def test_no_vectors_have_no_pairs() -> None:
    assert sentence_pairs(np.zeros((0, 0)), []).every == PairCosines(0.0, 0, 0.0, 0)
