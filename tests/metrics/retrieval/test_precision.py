from __future__ import annotations

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings
from ragtriage.metrics.retrieval.precision import precision


def test_the_denominator_is_k_and_not_the_length_of_the_list() -> None:
    """Case B01: precision@1 = 1, precision@3 = 1/3; two results against k = 10 are one in ten."""
    rankings = Rankings.of([["r1", "n1", "n2"]], [{"r1": 1, "r2": 1}])
    assert [precision(rankings, k=k)[0] for k in (1, 3, 10)] == [Value(1.0, 1), Value(1 / 3, 3), Value(0.1, 10)]


def test_nothing_relevant_is_undefined() -> None:
    assert list(precision(Rankings.of([["a"]], [{"a": 0}]), k=1)) == [Undefined("nothing is relevant")]
