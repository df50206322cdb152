"""MaxSim against a slow loop over tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.stats import late_interaction
from ragtriage.stats.late_interaction import PackedTokens, maxsim, maxsim_neighbours


def slow(query: Any, document: Any) -> float:
    """For each token of the query the best cosine, one pair at a time."""
    if not len(document):
        return -float("inf")
    total = 0.0
    for asked in query:
        total += max(float(asked @ token / (np.linalg.norm(asked) * np.linalg.norm(token))) for token in document)
    return total


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 5), max_size=7),
    asked=st.integers(0, 4),
    seed=st.integers(0, 99),
    cells=st.sampled_from([1, 8, 10_000]),
)
def test_a_slow_loop_agrees(lengths: list[int], asked: int, seed: int, cells: int) -> None:
    random = np.random.default_rng(seed)
    documents = [random.normal(size=(length, 6)) for length in lengths]
    query = random.normal(size=(asked, 6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(late_interaction, "_BLOCK_CELLS", cells)
        found = maxsim(query, PackedTokens.of(documents))
    np.testing.assert_allclose(found, [slow(query, document) for document in documents], atol=1e-5)


def test_the_best_documents_come_first_and_empty_ones_never() -> None:
    documents = PackedTokens.of([np.eye(3)[:1], np.zeros((0, 3)), np.eye(3)[:2], np.eye(3)[:2]])
    found = maxsim_neighbours([np.eye(3)[:2], np.eye(3)[:1]], documents, k=4)
    assert found.places.tolist() == [[2, 3, 0, -1], [0, 2, 3, -1]]
    assert found.scores.tolist() == [[2.0, 2.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]]
    assert len(documents) == 4


def test_tokens_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="one number of dimensions"):
        PackedTokens.of([np.eye(2), np.eye(3)])
    with pytest.raises(ValueError, match="not finite"):
        PackedTokens.of([np.array([[np.nan, 1.0]])])
    with pytest.raises(ValueError, match="k must be 1 or more"):
        maxsim_neighbours([], PackedTokens.of([]), k=0)
