from __future__ import annotations

import pytest

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings
from ragtriage.metrics.retrieval.average_precision import average_precision


def test_it_is_divided_by_all_relevant_documents_and_not_by_those_found() -> None:
    """Finding one of five at rank 1 is 0.2, not 1.0."""
    rankings = Rankings.of([["a"]], [{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}])
    assert average_precision(rankings)[0] == Value(0.2, support=5)


def test_a_duplicate_is_credited_once() -> None:
    """Case B09: AP = (1 / 1) / 2, not 2."""
    rankings = Rankings.of([["k1", "k1", "k1", "x"]], [{"k1": 1, "k2": 1}])
    assert average_precision(rankings)[0] == Value(0.5, support=2)


def test_the_cut_takes_the_first_k_only() -> None:
    # relevant at ranks 2 and 4 of 3 relevant: (1/2) / 3 and (1/2 + 2/4) / 3
    rankings = Rankings.of([["n", "a", "m", "b"]], [{"a": 1, "b": 1, "c": 1}])
    values = [average_precision(rankings, k=k).values[0] for k in (3, None)]
    assert values == pytest.approx([1 / 6, 1 / 3])


def test_nothing_relevant_is_undefined() -> None:
    assert list(average_precision(Rankings.of([["a"]], [{"a": 0}]))) == [Undefined("nothing is relevant")]
