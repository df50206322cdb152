from __future__ import annotations

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings
from ragtriage.metrics.retrieval.reciprocal_rank import reciprocal_rank


def test_it_is_one_by_the_rank_of_the_first_relevant_result_within_the_cut() -> None:
    rankings = Rankings.of([["n", "m", "a", "b"]], [{"a": 1, "b": 1}])
    assert [reciprocal_rank(rankings, k=k)[0] for k in (None, 3, 2)] == [
        Value(1 / 3, 1),
        Value(1 / 3, 1),
        Value(0.0, 1),
    ]


def test_a_document_below_the_least_grade_is_not_relevant() -> None:
    assert reciprocal_rank(Rankings.of([["low", "high"]], [{"low": 1, "high": 2}], min_grade=2))[0] == Value(0.5, 1)


def test_nothing_relevant_is_undefined() -> None:
    assert list(reciprocal_rank(Rankings.of([None], [{}]))) == [Undefined("nothing is relevant")]
