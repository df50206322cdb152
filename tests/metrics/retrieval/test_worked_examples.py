from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import mean

import pytest

from ragtriage.core.score import Scores, Undefined, Value
from ragtriage.core.views import Rankings
from ragtriage.metrics.retrieval.average_precision import average_precision
from ragtriage.metrics.retrieval.context_precision import context_precision
from ragtriage.metrics.retrieval.hit_rate import hit_rate
from ragtriage.metrics.retrieval.ndcg import ndcg
from ragtriage.metrics.retrieval.precision import precision
from ragtriage.metrics.retrieval.recall import recall
from ragtriage.metrics.retrieval.reciprocal_rank import reciprocal_rank

Shared = Callable[[str], Path]

# The article's gold set and runs, "Retrieval metrics".
GOLD = [{"d3": 1}, {"d7": 1, "d2": 1}, {"d11": 1}, {"d5": 1}]
RUNS = [
    ["d8", "d3", "d1", "d4", "d2", "d9", "d6", "d10", "d12", "d13"],
    ["d2", "d6", "d4", "d7", "d1", "d3", "d8", "d11", "d5", "d9"],
    ["d11", "d2", "d3", "d4", "d1", "d6", "d7", "d8", "d10", "d12"],
    ["d1", "d2", "d3", "d6", "d8", "d9", "d10", "d12", "d13", "d14"],
]


def average(scores: Scores) -> float:
    return mean(score.value for score in scores if isinstance(score, Value))


def test_the_articles_four_questions_give_its_three_numbers() -> None:
    rankings = Rankings.of(RUNS, GOLD)
    assert f"{average(recall(rankings, k=5)):.3f}" == "0.750"
    assert f"{average(reciprocal_rank(rankings)):.3f}" == "0.625"
    assert f"{average(ndcg(rankings, k=5)):.3f}" == "0.627"


def case(shared: Shared, name: str) -> tuple[Rankings, dict[str, dict[str, int]]]:
    given = json.loads(shared(f"cases/inputs/{name}.json").read_text())
    qrels = given["qrels"]
    return Rankings.of([given["run"].get(question) for question in qrels], list(qrels.values())), qrels


def test_recall_is_divided_by_all_that_is_relevant_b01(shared: Shared) -> None:
    rankings, _ = case(shared, "B01")
    assert [recall(rankings, k=k).values[0] for k in (1, 3, 10)] == [0.2, 0.2, 0.2]
    assert [hit_rate(rankings, k=k).values[0] for k in (1, 3, 10)] == [1, 1, 1]
    assert [precision(rankings, k=k).values[0] for k in (1, 3)] == [1, 1 / 3]


def test_a_negative_grade_is_judged_and_not_relevant_b03(shared: Shared) -> None:
    rankings, _ = case(shared, "B03")
    assert precision(rankings, k=1).values[0] == 0
    assert reciprocal_rank(rankings).values[0] == 0.5
    assert ndcg(rankings, k=3, gain="linear").values[0] == pytest.approx(0.6199, abs=5e-5)
    assert ndcg(rankings, k=3).values[0] == pytest.approx(0.5869, abs=5e-5)
    assert rankings.judged_nonrelevant.tolist() == [1]
    assert precision(rankings, k=1, condensed=True).values[0] == 0  # it was judged, so it stays
    assert ndcg(rankings, k=3, gain="linear", condensed=True).values[0] == pytest.approx(0.6199, abs=5e-5)


def test_a_duplicate_counts_once_b09(shared: Shared) -> None:
    rankings, _ = case(shared, "B09")
    assert hit_rate(rankings, k=1).values[0] == 1
    assert recall(rankings, k=4).values[0] == 0.5
    assert reciprocal_rank(rankings).values[0] == 1
    assert average_precision(rankings).values[0] == 0.5
    assert ndcg(rankings, k=4).values[0] == pytest.approx(0.6131, abs=5e-5)


def test_a_question_that_brought_nothing_scores_zero_and_is_marked_b13(shared: Shared) -> None:
    rankings, _ = case(shared, "B13")
    scores = reciprocal_rank(rankings)
    assert average(scores) == pytest.approx(1 / 3)
    assert (int((scores.support > 0).sum()), int((~rankings.listed).sum())) == (3, 2)


def test_a_question_without_an_answer_is_not_applicable_b15(shared: Shared) -> None:
    rankings, qrels = case(shared, "B15")
    assert qrels == {"q1": {}, "q2": {"d2": 1}}
    for metric in (lambda r: recall(r, k=10), lambda r: precision(r, k=10), lambda r: hit_rate(r, k=10), ndcg,
                   average_precision, reciprocal_rank, context_precision):  # fmt: skip
        no_answer, answered = metric(rankings)
        assert isinstance(no_answer, Undefined)
        assert isinstance(answered, Value)
    assert average(recall(rankings, k=10)) == 1.0
