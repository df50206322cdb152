import itertools

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar

from ragtriage.stats.bootstrap import bootstrap_mean
from ragtriage.stats.paired import mcnemar, paired_bootstrap, random_signs, randomisation_test, randomisation_tests

RANDOM = np.random.default_rng(11)


def test_the_exact_test_agrees_with_scipy():
    base = RANDOM.random(9)
    candidate = base + RANDOM.normal(0.1, 0.2, 9)
    reference = stats.permutation_test(
        (candidate, base),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert randomisation_test(base, candidate, resamples=10, seed=1) == pytest.approx(reference.pvalue, abs=1e-9)


def test_cases_without_a_difference_do_not_change_the_exact_p():
    base, candidate = [0.0, 0.2, 0.1], [0.4, 0.9, 0.3]
    alone = randomisation_test(base, candidate, resamples=10, seed=1)
    assert alone == 0.25  # 2 of 2^3 patterns reach the observed sum
    assert randomisation_test([*base, 1.0, 1.0], [*candidate, 1.0, 1.0], resamples=10, seed=1) == alone


def test_the_sampled_p_counts_the_given_swaps_and_the_observed_one():
    base, candidate = np.zeros(30), RANDOM.normal(0.2, 1, 30)
    signs = random_signs(30, resamples=200, seed=3)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    observed = abs(candidate.mean())
    reached = sum(abs((row * candidate).mean()) >= observed - 1e-15 for row in signs)
    assert randomisation_test(base, candidate, resamples=200, seed=3) == min(
        (reached + 1) / 201, 2 * np.exp(-(candidate.sum() ** 2) / (2 * (candidate**2).sum()))
    )
    assert randomisation_test(base, candidate, resamples=0, seed=0, signs=signs) == (reached + 1) / 201


def test_the_sampled_p_comes_near_scipys():
    base = RANDOM.random(40)
    candidate = base + RANDOM.normal(0.05, 0.2, 40)
    reference = stats.permutation_test(
        (candidate, base),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9999,
        rng=np.random.default_rng(1),
    ).pvalue
    assert randomisation_test(base, candidate, resamples=9999, seed=1) == pytest.approx(reference, abs=0.02)


def test_a_clear_difference_is_not_held_up_by_the_number_of_swaps():
    # 60 equal gains: the exact p is 2 / 2^60, the bound 2 exp(-30); 99 swaps alone could not say less than 0.01
    p = randomisation_test(np.zeros(60), np.ones(60), resamples=99, seed=1)
    assert 2 / 2**60 < p == pytest.approx(2 * np.exp(-30))


def test_tests_done_together_give_what_they_give_alone():
    columns = [RANDOM.normal(0.1, 1, n) for n in (40, 12, 40, 25)]
    together = randomisation_tests(columns, resamples=300, seed=5)
    alone = [randomisation_test(np.zeros(len(c)), c, resamples=300, seed=5) for c in columns]
    assert together == alone


def test_equal_runs_have_p_1():
    assert randomisation_test([0.1, 0.2], [0.1, 0.2], resamples=100, seed=1) == 1.0


def test_ties_by_rounding_are_counted_as_ties():
    # 0.1 + 0.2 - 0.3 is not 0 in floating point: all eight patterns must be compared with a tolerance
    assert randomisation_test([0, 0, 0], [0.1, 0.2, -0.3], resamples=10, seed=1) == 1.0


def test_the_paired_interval_is_that_of_the_differences():
    base, candidate = RANDOM.random(25), RANDOM.random(25)
    assert paired_bootstrap(base, candidate, resamples=300, seed=2) == bootstrap_mean(
        candidate - base, resamples=300, seed=2
    )


def test_unequal_columns_are_no_pairs():
    with pytest.raises(ValueError, match="one length"):
        paired_bootstrap([1.0], [1.0, 2.0], resamples=100, seed=1)
    with pytest.raises(ValueError, match="at least one pair"):
        randomisation_test([], [], resamples=100, seed=1)


@pytest.mark.parametrize(("lost", "won"), list(itertools.product([0, 1, 4, 9], [0, 2, 4, 15])))
def test_mcnemar_agrees_with_statsmodels(lost, won):
    base = [True] * lost + [False] * won + [True, False]
    candidate = [False] * lost + [True] * won + [True, False]
    reference = reference_mcnemar([[1, lost], [won, 1]], exact=True).pvalue if lost + won else 1.0
    assert mcnemar(base, candidate) == pytest.approx(reference, abs=1e-9)


def test_mcnemar_holds_for_thousands_of_changes():
    lost, won = 1450, 1600
    p = mcnemar([True] * lost + [False] * won, [False] * lost + [True] * won)
    assert p == pytest.approx(stats.binomtest(lost, lost + won).pvalue, rel=1e-9)
