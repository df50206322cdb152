from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings
from ragtriage.metrics.retrieval.context_precision import context_precision

Shared = Callable[[str], Path]


def of_verdicts(*verdicts: int) -> Rankings:
    ids = [f"chunk{i}" for i in range(len(verdicts))]
    return Rankings.of([ids], [{**dict(zip(ids, verdicts, strict=True)), "not found": 1}])


def test_the_lessons_two_orders_give_0_83_and_0_58() -> None:
    scores = [context_precision(of_verdicts(*order))[0] for order in ((1, 0, 1), (0, 1, 1))]
    assert [round(score.value, 2) for score in scores if isinstance(score, Value)] == [0.83, 0.58]


def test_verdicts_in_rank_order_give_what_case_b05_says(shared: Shared) -> None:
    case = json.loads(shared("cases/inputs/B05.json").read_text())
    given = case["verdicts_in_rank_order"]
    scores = [context_precision(of_verdicts(*verdicts))[0] for verdicts in given]
    assert given == [[1], [1, 0], [0, 1], [1, 0, 1, 1], [0, 0], []]
    assert scores[:3] == [Value(1.0, 1), Value(1.0, 1), Value(0.5, 1)]
    assert case["threshold"] == 1.0  # no epsilon keeps a perfect run under it
    assert (scores[3].value, scores[3].support) == (pytest.approx(0.80556, abs=5e-6), 3)
    assert scores[4] == Value(0.0, 1)
    assert isinstance(scores[5], Undefined)


def test_normalised_by_all_it_counts_what_is_missing() -> None:
    rankings = of_verdicts(1, 0, 1)
    score = context_precision(rankings, normalise="all")[0]
    assert (score.value, score.support) == (pytest.approx((1 + 2 / 3) / 3), 3)


def test_results_that_were_all_judged_irrelevant_score_zero_and_a_question_without_gold_is_undefined() -> None:
    rankings = Rankings.of([["a", "b"], ["a", "b"]], [{"a": 0, "b": 0}, {}])
    judged, without_gold = context_precision(rankings)
    assert judged == Value(0.0, 1)
    assert isinstance(without_gold, Undefined)
