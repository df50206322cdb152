from __future__ import annotations

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings
from ragtriage.metrics.retrieval.hit_rate import hit_rate


def test_one_relevant_result_in_the_first_k_is_a_hit() -> None:
    rankings = Rankings.of([["n", "a", "b"]], [{"a": 1, "b": 1}])
    assert [hit_rate(rankings, k=k)[0] for k in (1, 2, 3)] == [Value(0.0, 1), Value(1.0, 1), Value(1.0, 1)]


def test_nothing_relevant_is_undefined() -> None:
    assert list(hit_rate(Rankings.of([["a"]], [{}]), k=1)) == [Undefined("nothing is relevant")]
