from __future__ import annotations

import numpy as np

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings
from ragtriage.metrics.retrieval.recall import recall

FIVE = {f"r{i}": 1 for i in range(1, 6)}


def test_the_denominator_is_all_that_is_relevant_whatever_k_is() -> None:
    """Case B01: one of five found; not 1 / k, not 1 / min(k, 5), not 1 / found."""
    rankings = Rankings.of([["r1", "n1", "n2"]], [FIVE])
    assert [recall(rankings, k=k)[0] for k in (1, 3, 10)] == [Value(0.2, support=5)] * 3


def test_nothing_relevant_is_undefined_and_nothing_found_is_zero() -> None:
    rankings = Rankings.of([["a"], None], [{}, {"a": 1}])
    assert list(recall(rankings, k=3)) == [Undefined("nothing is relevant"), Value(0.0, support=1)]


def test_a_result_that_completes_two_units_of_evidence_counts_twice() -> None:
    plain = Rankings.of([["chunk1", "chunk2"]], [{"chunk1": 1}])
    rankings = Rankings(
        grades=plain.grades, ideal=plain.ideal, relevant=np.array([3]), judged_nonrelevant=np.array([0]),
        listed=plain.listed, units=np.array([[2, 0]]),
    )  # fmt: skip
    assert recall(rankings, k=1)[0] == Value(2 / 3, support=3)
