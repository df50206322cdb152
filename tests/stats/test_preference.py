"""Win rates, length control and Bradley-Terry against statsmodels and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from ragtriage.stats.preference import bradley_terry, length_controlled_win_rate, outcome_of, win_rate


def test_orders_that_disagree_are_a_tie():
    assert [outcome_of(a, b) for a in ("candidate", "base", "tie") for b in ("candidate", "base", "tie")] == [
        1.0, 0.5, 0.5, 0.5, 0.0, 0.5, 0.5, 0.5, 0.5,
    ]  # fmt: skip
    assert win_rate([1.0, 0.5, 0.0, 0.5]) == 0.5


def test_a_candidate_that_wins_by_length_alone_does_not_win_at_equal_length():
    chance = np.random.default_rng(3)
    longer = chance.normal(60, 60, 400)
    outcomes = (chance.random(400) < 1 / (1 + np.exp(-2 * np.tanh(longer / 80)))).astype(float).tolist()
    plain, controlled = win_rate(outcomes), length_controlled_win_rate(outcomes, longer.tolist())
    assert plain > 0.65
    assert abs(controlled - 0.5) < 0.08


def test_the_length_fit_is_the_maximum_that_scipy_finds():
    chance = np.random.default_rng(5)
    longer = chance.normal(0, 30, 50)
    outcomes = chance.choice([0.0, 0.5, 1.0], 50)
    x = np.tanh(longer / np.sqrt((longer**2).mean()))

    def loss(theta):
        z = theta[0] + theta[1] * x
        return -(outcomes * z - np.logaddexp(0, z)).sum() + theta[0] ** 2 / 200 + theta[1] ** 2 / 8

    best = minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-10}).x
    right = 1 / (1 + math.exp(-best[0]))
    assert length_controlled_win_rate(outcomes.tolist(), longer.tolist()) == pytest.approx(right, abs=1e-7)


def test_separable_comparisons_have_a_finite_fit():
    assert 0.5 < length_controlled_win_rate([1.0] * 20, [0.0] * 20) < 1.0
    assert 0.0 < length_controlled_win_rate([1.0, 0.0] * 20, [50.0, -50.0] * 20) < 1.0


def test_strengths_are_the_maximum_that_scipy_finds():
    wins = {("a", "b"): 7.5, ("b", "a"): 2.5, ("b", "c"): 6, ("c", "b"): 4, ("a", "c"): 9, ("c", "a"): 1}
    names = ["a", "b", "c"]

    def loss(theta):
        s = dict(zip(names, theta, strict=True))
        games = sum(n * np.logaddexp(0, s[y] - s[x]) for (x, y), n in wins.items())
        return games + sum(0.5 * np.logaddexp(0, t) + 0.5 * np.logaddexp(0, -t) for t in theta)

    best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-10}).x
    found = {s.name: s.log_odds for s in bradley_terry(wins)}
    for name, value in zip(names, best - best.mean(), strict=True):
        assert found[name] == pytest.approx(value, abs=1e-5)


def test_a_system_that_never_loses_has_a_strength_too():
    best, worst = bradley_terry({("a", "b"): 10})
    assert (best.name, worst.name) == ("a", "b")
    assert math.isfinite(best.log_odds)
    assert best.log_odds == pytest.approx(-worst.log_odds)
    with pytest.raises(ValueError, match="two systems"):
        bradley_terry({})
