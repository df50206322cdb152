"""Win rates, length control and Bradley-Terry against scipy, sklearn, slow loops and worked numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from ragtriage.stats.bootstrap import resample_indices
from ragtriage.stats.preference import (
    Contested,
    bradley_terry,
    length_controlled_interval,
    length_controlled_win_rate,
    outcome_of,
    strengths,
    win_rate,
    win_rate_interval,
)
from ragtriage.stats.proportions import wilson


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


def by_logistic_regression(wins):
    """Fit strengths as sklearn does: a row a comparison, and half a win and half a loss against strength 0."""
    names = sorted({name for pair in wins for name in pair})
    rows, won, weights = [], [], []
    for (winner, loser), games in wins.items():
        for sign in (1, -1):  # each comparison from both sides, half each, so that both classes occur
            rows.append([sign * ((n == winner) - (n == loser)) for n in names])
            won.append(sign > 0)
            weights.append(games / 2)
    for name in names:
        for win in (True, False):
            rows.append([float(n == name) for n in names])
            won.append(win)
            weights.append(0.5)
    fit = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-12, max_iter=10_000)
    theta = fit.fit(np.array(rows), won, sample_weight=weights).coef_[0]
    return dict(zip(names, theta - theta.mean(), strict=True))


def by_hunter(wins):
    """Fit strengths by the slow MM iterations (Hunter 2004)."""
    names = sorted({name for pair in wins for name in pair})
    s = dict.fromkeys(names, 1.0)
    for _ in range(20_000):
        moved = {}
        for a in names:
            won = 0.5 + sum(wins.get((a, b), 0.0) for b in names)
            met = 1 / (s[a] + 1) + sum((wins.get((a, b), 0.0) + wins.get((b, a), 0.0)) / (s[a] + s[b]) for b in names)
            moved[a] = won / met
        change = max(abs(math.log(moved[n] / s[n])) for n in names)
        s = moved
        if change < 1e-12:
            break
    logs = {n: math.log(s[n]) for n in names}
    mean = sum(logs.values()) / len(logs)
    return {n: value - mean for n, value in logs.items()}


WINS = {("a", "b"): 7.5, ("b", "a"): 2.5, ("b", "c"): 6, ("c", "b"): 4, ("a", "c"): 9, ("c", "a"): 1, ("d", "a"): 3}


def test_strengths_are_those_of_a_logistic_regression():
    right = by_logistic_regression(WINS)
    for found in bradley_terry(WINS):
        assert found.log_odds == pytest.approx(right[found.name], abs=1e-5)
        assert found.expected == pytest.approx(1 / (1 + math.exp(-found.log_odds)))


def test_a_worked_pair():
    # At strengths t and -t with sigmoid(t) = 2/3 the odds are 4 to 1: won + 1/2 = 10 * 4/5 + 2/3, so won = 49/6 of 10.
    best, worst = bradley_terry({("a", "b"): 49 / 6, ("b", "a"): 11 / 6})
    assert best.log_odds == pytest.approx(math.log(2), abs=1e-12)
    assert best.expected == pytest.approx(2 / 3, abs=1e-12)
    assert worst.expected == pytest.approx(1 / 3, abs=1e-12)


@settings(max_examples=40, deadline=None)  # the slow fit takes its time
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")).filter(lambda pair: pair[0] != pair[1]),
        st.integers(0, 12).map(lambda n: n / 2),
        min_size=1,
    ).filter(lambda wins: any(wins.values()))
)
def test_newton_finds_what_the_slow_iterations_find(wins):
    right = by_hunter(wins)
    for found in bradley_terry(wins):
        assert found.log_odds == pytest.approx(right[found.name], abs=1e-5)


def contests(count, seed=11):
    chance = np.random.default_rng(seed)
    level = {"a": 1.0, "b": 0.0, "c": -0.5}
    found = []
    for question in range(count):
        for first, second in (("a", "b"), ("a", "c"), ("b", "c")):
            sure = 1 / (1 + math.exp(level[second] - level[first]))
            outcome = float(chance.choice([0.5, float(chance.random() < sure)]))
            found.append(Contested(first, second, outcome, f"q{question // 2:03}"))
    return found


def test_the_intervals_of_strengths_are_those_of_fits_to_each_resample_of_the_questions():
    given, resamples = contests(30), 200
    units = sorted({one.cluster for one in given})
    drawn = []
    for row in resample_indices(len(units), resamples=resamples, seed=4):
        wins = {}
        for unit in row:
            for one in given:
                if one.cluster == units[unit]:
                    pair, turned = (one.first, one.second), (one.second, one.first)
                    wins[pair] = wins.get(pair, 0.0) + one.outcome
                    wins[turned] = wins.get(turned, 0.0) + 1 - one.outcome
        fitted = by_hunter(wins)
        drawn.append([fitted[name] for name in "abc"])
    for found in strengths(given, resamples=resamples, seed=4):
        column = np.array(drawn)[:, "abc".index(found.name)]
        assert found.interval == pytest.approx(tuple(np.quantile(column, [0.025, 0.975])), abs=1e-6)
        assert found.interval[0] < found.log_odds < found.interval[1]


def test_the_intervals_of_strengths_hold_the_truth_about_as_often_as_they_say():
    held = 0
    for seed in range(60):
        best = {s.name: s for s in strengths(contests(80, seed), resamples=200, seed=1)}
        # The outcome is a coin flip between a tie and a game, so the truth is that of half the games being ties.
        rates = {("a", "b"): 1.0, ("a", "c"): 1.5, ("b", "c"): 0.5}
        wins = {}
        for (x, y), gap in rates.items():
            share = 0.25 + 0.5 / (1 + math.exp(-gap))
            wins[x, y], wins[y, x] = 1e6 * share, 1e6 * (1 - share)
        truth = {s.name: s.log_odds for s in bradley_terry(wins)}
        low, high = best["a"].interval
        held += low <= truth["a"] <= high
    assert held >= 51  # of 60: fewer than that at 95 % would be one chance in a thousand


def test_a_system_that_won_all_has_no_interval_and_one_cluster_gives_none():
    found = strengths([Contested("a", "b", 1.0, f"q{i}") for i in range(9)], resamples=100, seed=1)
    assert [one.interval for one in found] == [None, None]
    found = strengths([Contested("a", "b", o, "q") for o in (1.0, 0.0, 1.0)], resamples=100, seed=1)
    assert [one.interval for one in found] == [None, None]
    with pytest.raises(ValueError, match="two systems"):
        strengths([], resamples=100, seed=1)


def test_the_length_controlled_interval_is_that_of_fits_to_each_resample():
    chance = np.random.default_rng(7)
    longer = chance.normal(10, 30, 24)
    outcomes = chance.choice([0.0, 0.5, 1.0], 24).tolist()
    clusters = [f"q{i % 16:02}" for i in range(24)]
    units = sorted(set(clusters))
    drawn = []
    for row in resample_indices(len(units), resamples=150, seed=9):
        rows = [i for unit in row for i, name in enumerate(clusters) if name == units[unit]]
        drawn.append(length_controlled_win_rate([outcomes[i] for i in rows], [longer[i] for i in rows]))
    found = length_controlled_interval(outcomes, longer.tolist(), clusters, resamples=150, seed=9)
    assert found == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=1e-8)
    assert length_controlled_interval([1.0, 1.0], [1.0, 2.0], ["a", "b"], resamples=10, seed=1) is None


def test_outcomes_that_are_all_equal_still_have_an_interval_with_a_width():
    names = [f"q{i}" for i in range(20)]
    assert win_rate_interval([1.0] * 20, names, resamples=10, seed=1) == pytest.approx(wilson(20, 20))
    assert win_rate_interval([0.0] * 20, names, resamples=10, seed=1) == pytest.approx(wilson(0, 20))
    low, high = win_rate_interval([0.5] * 20, names, resamples=10, seed=1)
    assert low + high == pytest.approx(1.0)
    assert high - low == pytest.approx(wilson(0, 20)[1])
    assert win_rate_interval([1.0, 0.0], ["q", "q"], resamples=10, seed=1) is None
