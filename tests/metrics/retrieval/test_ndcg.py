from __future__ import annotations

import pytest

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings
from ragtriage.metrics.retrieval.ndcg import ndcg


def value(rankings: Rankings, **options: object) -> float:
    score = ndcg(rankings, **options)[0]
    assert isinstance(score, Value)
    return score.value


def test_a_grade_below_zero_gains_nothing_and_takes_nothing_away() -> None:
    """Case B03: (1 / log2 3 + 2 / 2) / (2 + 1 / log2 3), and (1 / log2 3 + 3 / 2) / (3 + 1 / log2 3)."""
    rankings = Rankings.of([["junk", "ok", "best"]], [{"junk": -1, "ok": 1, "best": 2}])
    assert value(rankings, k=3, gain="linear") == pytest.approx(0.6199, abs=5e-5)
    assert value(rankings, k=3) == pytest.approx(0.5869, abs=5e-5)


def test_the_ideal_holds_all_judged_documents_and_not_only_the_retrieved_ones() -> None:
    # 1 / (1 + 1 / log2 3 + 1 / 2) with three relevant documents of which the first was found
    assert value(Rankings.of([["a"]], [{"a": 1, "b": 1, "c": 1}])) == pytest.approx(1 / 2.1309, abs=5e-5)


def test_the_ideal_is_cut_at_k_so_that_a_full_first_k_is_perfect() -> None:
    assert value(Rankings.of([["a", "b"]], [{"a": 1, "b": 1, "c": 1}]), k=2) == 1.0


def test_a_perfect_order_is_exactly_one() -> None:
    """Case B05's kind of fault: a gate `>= 1` must not fail a perfect run."""
    grades = {f"d{i}": 3 - i // 4 for i in range(12)}
    for gain in ("exponential", "linear"):
        assert value(Rankings.of([list(grades)], [grades]), gain=gain) == 1.0


def test_the_burges_form_is_the_exponential_gain_worked_by_hand() -> None:
    """Grades 3, 2, 1 in the order 1, 3, 2: (1 + 7 / log2 3 + 3 / 2) / (7 + 3 / log2 3 + 1 / 2)."""
    rankings = Rankings.of([["c", "a", "b"]], [{"a": 3, "b": 2, "c": 1}])
    assert value(rankings) == pytest.approx((1 + 7 / 1.5849625 + 1.5) / (7 + 3 / 1.5849625 + 0.5), rel=1e-7)


def test_nothing_relevant_is_undefined() -> None:
    assert list(ndcg(Rankings.of([["a"]], [{"a": 0}]), k=3)) == [Undefined("nothing is relevant")]
