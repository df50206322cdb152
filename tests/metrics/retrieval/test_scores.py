from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings, ScoredView
from ragtriage.metrics.retrieval.score_calibration import score_calibration
from ragtriage.metrics.retrieval.score_saturation import score_saturation
from ragtriage.metrics.retrieval.score_separation import score_separation

RESULTS = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0])), min_size=1, max_size=12)


def views(results: list[tuple[bool, float]]) -> list[ScoredView]:
    half = len(results) // 2
    return [
        ScoredView(tuple(r for r, _ in part), tuple(s for _, s in part)) for part in (results[:half], results[half:])
    ]


@given(RESULTS)
def test_separation_is_the_area_that_sklearn_measures_over_all_questions(results: list[tuple[bool, float]]) -> None:
    score = score_separation(views(results))
    if len({relevant for relevant, _ in results}) < 2:
        assert isinstance(score, Undefined)
    else:
        expected = roc_auc_score([r for r, _ in results], [s for _, s in results])
        assert (score.value, score.support) == (pytest.approx(expected, abs=1e-12), len(results))


@given(RESULTS, st.integers(1, 10))
def test_calibration_error_is_the_weighted_gap_of_each_bin(results: list[tuple[bool, float]], bins: int) -> None:
    total = 0.0
    for number in range(bins):
        low, high = number / bins, (number + 1) / bins
        inside = [(r, s) for r, s in results if low < s <= high or (number == 0 and s == 0)]
        if inside:
            gap = sum(r for r, _ in inside) / len(inside) - sum(s for _, s in inside) / len(inside)
            total += len(inside) / len(results) * abs(gap)
    score = score_calibration(views(results), bins=bins)
    assert (score.value, score.support) == (pytest.approx(total, abs=1e-9), len(results))


def test_scores_that_are_no_probabilities_have_no_calibration() -> None:
    assert score_calibration([ScoredView((True,), (1.5,))]) == Undefined("a score lies outside [0, 1]")
    for metric in (score_calibration, score_separation):
        assert metric([ScoredView((True,), None)]) == Undefined("no list has scores")
        assert metric([]) == Undefined("no list has scores")
    with pytest.raises(ValueError, match="bins"):
        score_calibration([], bins=0)


def test_saturation_is_the_share_tied_at_the_top() -> None:
    rankings = Rankings.of(
        [["a", "b", "c", "d"], ["a", "b", "c"], ["a", "b"], ["a"]],
        [{}] * 4,
        scores=[[1, 1, 1, 0.5], [3, 2, 2], [0.7, 0.7], [1]],
    )
    scores = list(score_saturation(rankings))
    assert scores[:3] == [Value(0.75, 4), Value(0.0, 3), Value(1.0, 2)]
    assert isinstance(scores[3], Undefined)


def test_a_list_with_a_missing_score_has_no_saturation() -> None:
    rankings = Rankings.of([["a", "b"]], [{}], scores=[[1.0, np.nan]])
    assert isinstance(score_saturation(rankings)[0], Undefined)
    assert isinstance(score_saturation(Rankings.of([["a", "b"]], [{}]))[0], Undefined)
