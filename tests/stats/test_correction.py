"""Corrected estimates hold the truth as often as they say, whatever the judge is worth."""

from __future__ import annotations

import numpy as np
import pytest

from ragtriage.stats.correction import ppi_mean, rogan_gladen


def drawn(chance, *, labels, rest, share, sensitivity, specificity):
    truth = chance.random(labels + rest) < share
    judged = np.where(truth, chance.random(labels + rest) < sensitivity, chance.random(labels + rest) > specificity)
    return truth, judged


def test_under_thirty_labels_nothing_is_corrected():
    with pytest.raises(ValueError, match="30 labels"):
        ppi_mean([1.0] * 100, [1.0] * 29, [1.0] * 29)
    with pytest.raises(ValueError, match="30 labels"):
        rogan_gladen([True] * 100, [True] * 29, [True] * 29)


def test_a_judge_no_better_than_chance_cannot_be_corrected_by_its_own_errors():
    people = [True, False] * 20
    with pytest.raises(ValueError, match="chance"):
        rogan_gladen([True] * 50, [not p for p in people], people)
    with pytest.raises(ValueError, match="both kinds"):
        rogan_gladen([True] * 50, [True] * 40, [True] * 40)


def test_rogan_and_gladen_is_their_formula():
    people = [True] * 40 + [False] * 40
    judge = [True] * 36 + [False] * 4 + [False] * 32 + [True] * 8  # sensitivity 0.9, specificity 0.8
    found = rogan_gladen([True] * 55 + [False] * 45, judge, people)
    assert found.value == pytest.approx((0.55 + 0.8 - 1) / 0.7)
    assert found.raw == 0.55


def test_a_perfect_judge_keeps_the_mean_and_shortens_the_interval():
    chance = np.random.default_rng(0)
    values = chance.random(1000)
    found = ppi_mean(values[100:].tolist(), values[:100].tolist(), values[:100].tolist())
    assert found.value == pytest.approx(values.mean(), abs=0.01)
    alone = 2 * 1.96 * values[:100].std(ddof=1) / 10
    assert found.interval[1] - found.interval[0] < 0.5 * alone


@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.95, 0.9), (0.7, 0.6), (0.5, 0.5)])
def test_the_prediction_powered_interval_covers_the_truth(sensitivity, specificity):
    chance = np.random.default_rng(7)
    held = 0
    for _ in range(200):
        truth, judged = drawn(chance, labels=100, rest=600, share=0.6, sensitivity=sensitivity, specificity=specificity)
        found = ppi_mean(
            judged[100:].astype(float).tolist(),
            judged[:100].astype(float).tolist(),
            truth[:100].astype(float).tolist(),
        )
        held += found.interval[0] <= 0.6 <= found.interval[1]
    assert held >= 180


def test_the_weight_is_that_of_ppi_plus_plus():
    chance = np.random.default_rng(9)
    y = chance.normal(size=60)
    f = y + chance.normal(size=60)
    rest = chance.normal(size=300) * 2**0.5
    weight = np.cov(f, y)[0, 1] / ((1 + 60 / 300) * np.var(np.concatenate([rest, f]), ddof=1))
    right = weight * rest.mean() + (y - weight * f).mean()
    assert ppi_mean(rest.tolist(), f.tolist(), y.tolist()).value == pytest.approx(right, abs=1e-12)
