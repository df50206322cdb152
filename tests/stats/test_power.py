import numpy as np
import pytest
from statsmodels.stats.power import normal_power_het, normal_sample_size_one_tail
from statsmodels.stats.proportion import samplesize_proportions_2indep_onetail
from statsmodels.stats.weightstats import DescrStatsW

from ragtriage.stats.power import (
    detectable_effect,
    detectable_rate_change,
    non_inferiority,
    sample_size,
    sample_size_rates,
)


@pytest.mark.parametrize("effect", [0.02, 0.1])
@pytest.mark.parametrize("power", [0.8, 0.95])
def test_the_sample_size_of_a_mean_agrees_with_statsmodels(effect, power):
    reference = normal_sample_size_one_tail(effect, power, 0.025, std_null=0.3)
    assert sample_size(effect, deviation=0.3, power=power) == pytest.approx(reference, abs=1e-9, rel=1e-12)


def test_the_detectable_effect_is_the_one_that_statsmodels_sees_with_that_power():
    effect = detectable_effect(160, deviation=0.3)
    assert normal_power_het(effect, 160, 0.05, std_null=0.3, alternative="larger") > 0.8  # one-sided sees more
    assert normal_power_het(effect, 160, 0.025, std_null=0.3, alternative="larger") == pytest.approx(0.8, abs=1e-9)
    assert sample_size(effect, deviation=0.3) == pytest.approx(160, abs=1e-9)


@pytest.mark.parametrize(("base", "candidate"), [(0.8, 0.9), (0.5, 0.45), (0.02, 0.05)])
def test_the_sample_size_of_rates_agrees_with_statsmodels(base, candidate):
    reference = samplesize_proportions_2indep_onetail(candidate - base, base, 0.8, alpha=0.025, alternative="larger")
    assert sample_size_rates(base, candidate) == pytest.approx(reference, rel=1e-9)


def test_the_detectable_rate_change_needs_just_this_many_cases():
    drop = detectable_rate_change(0.9, 200)
    assert drop is not None
    assert sample_size_rates(0.9, 0.9 - drop) == pytest.approx(200, rel=1e-6)
    assert detectable_rate_change(0.05, 10) is None  # not even a drop to 0 shows in ten cases


def test_non_inferiority_agrees_with_statsmodels():
    differences = np.random.default_rng(1).normal(-0.01, 0.1, 80)
    result = non_inferiority(differences.tolist(), margin=0.05)
    z, p = DescrStatsW(differences).ztest_mean(value=-0.05, alternative="larger")
    lower, _ = DescrStatsW(differences).zconfint_mean(alpha=0.1)
    assert result.p == pytest.approx(p, abs=1e-9)
    assert result.lower == pytest.approx(lower, abs=1e-9)
    assert result.holds == (p < 0.05) == (z > 1.6448536269514722)


def test_equal_differences_are_certain():
    assert non_inferiority([-0.25, -0.25], margin=0.5).holds
    assert not non_inferiority([-0.25, -0.25], margin=0.25).holds  # exactly the margin is not better than it


def test_what_cannot_be_planned_is_an_error():
    with pytest.raises(ValueError, match="effect of 0"):
        sample_size(0.0, deviation=1)
    with pytest.raises(ValueError, match="between 0 and 1"):
        sample_size(0.1, deviation=1, power=1.0)
    with pytest.raises(ValueError, match="at least one pair"):
        detectable_effect(0, deviation=1)
    with pytest.raises(ValueError, match="at least two pairs"):
        non_inferiority([0.1], margin=0.1)
