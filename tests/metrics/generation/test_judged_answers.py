"""Metrics of whole answers, repeats, confidences and lengths, by hand and against numpy and the numbered case."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.verdicts import QuestionsVerdict
from ragtriage.core.views import ConfidenceView, JudgedAnswerView, LengthView, RepeatsView
from ragtriage.metrics.generation.calibration_error import calibration_error
from ragtriage.metrics.generation.length_control import length_control
from ragtriage.metrics.generation.response_relevancy import response_relevancy
from ragtriage.metrics.generation.self_consistency import self_consistency


def near(score: Score, value: float, support: int) -> bool:
    return isinstance(score, Value) and score.support == support and score.value == pytest.approx(value, abs=1e-9)


def test_a_noncommittal_answer_is_no_irrelevant_one():
    assert isinstance(response_relevancy(JudgedAnswerView(questions=QuestionsVerdict(noncommittal=True))), Undefined)


@pytest.mark.parametrize(("part", "right"), [("a", 0.21), ("b", 0.475)])
def test_case_b69_confidences_of_one_and_nought_are_in_a_bin(shared, part, right):
    case = json.loads(shared("cases/inputs/B69.json").read_text())
    pairs = zip(case[part]["conf"], case[part]["correct"], strict=True)
    score = calibration_error([ConfidenceView(c, bool(ok)) for c, ok in pairs], bins=case["n_bins"])
    assert near(score, right, len(case[part]["conf"]))


def test_unknown_confidences_and_outcomes_do_not_count():
    views = [ConfidenceView(0.8, correct=True), ConfidenceView(None, correct=True), ConfidenceView(0.1, correct=None)]
    assert near(calibration_error(views), 0.2, 1)
    assert near(calibration_error(views, form="brier"), 0.04, 1)


def test_answers_that_differ_in_case_and_spaces_alone_are_the_same():
    assert self_consistency(RepeatsView(("Yes,  1 %", "yes, 1 %"))) == Value(1.0, support=2)
    assert near(self_consistency(RepeatsView(("a b", "b c")), form="similarity"), 1 / 3, 1)
    assert isinstance(self_consistency(RepeatsView(("once",))), Undefined)


def test_length_control_is_the_fitted_line_at_equal_length():
    chance = np.random.default_rng(1)
    words = chance.integers(5, 60, 40)
    score = np.clip(0.3 + 0.1 * np.log(words / 20) + chance.normal(0, 0.05, 40), 0, 1)
    views = [LengthView(float(s), int(w), 20) for s, w in zip(score, words, strict=True)]
    slope, height = np.polyfit(np.log(words / 20), score, 1)
    assert slope > 0
    assert near(length_control(views), height - score.mean(), 40)
    assert isinstance(length_control([LengthView(0.5, 20, 20)] * 20), Undefined)
