import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ragtriage.stats import bootstrap
from ragtriage.stats.bootstrap import (
    bootstrap_mean,
    bootstrap_median,
    bootstrap_ratio,
    bootstrap_ratios,
    interval_of,
    resample_indices,
    resampled_statistic,
)

SKEWED = np.random.default_rng(5).gamma(2.0, size=37)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_agree_with_scipy_on_the_same_resample_indices(method):
    drawn = np.random.default_rng(3).integers(0, len(SKEWED), (999, len(SKEWED)))  # what scipy draws with this seed
    reference = stats.bootstrap((SKEWED,), np.mean, n_resamples=999, method=method, rng=np.random.default_rng(3))
    given = bootstrap_mean(SKEWED, resamples=1, seed=0, method=method, indices=drawn)
    assert given == pytest.approx(tuple(reference.confidence_interval), abs=1e-9)
    assert bootstrap_mean(SKEWED, resamples=999, seed=3, method=method) == pytest.approx(given, abs=1e-12)


def test_equal_seeds_give_equal_indices_and_other_seeds_do_not():
    first = resample_indices(50, resamples=20, seed=1)
    assert (first == resample_indices(50, resamples=20, seed=1)).all()
    assert not (first == resample_indices(50, resamples=20, seed=2)).all()


def test_the_size_of_a_block_does_not_change_the_indices(monkeypatch):
    whole = resample_indices(7, resamples=11, seed=9)
    monkeypatch.setattr(bootstrap, "_BLOCK_CELLS", 15)
    assert (whole == resample_indices(7, resamples=11, seed=9)).all()
    assert bootstrap_mean(SKEWED, resamples=50, seed=1) == pytest.approx(
        interval_of(SKEWED[resample_indices(37, resamples=50, seed=1)].mean(axis=1))
    )


def test_clusters_are_drawn_whole():
    # two clusters with means 0 and 1 of equal size: every resample's mean is 0, 0.5 or 1
    values = [0.0, 0.0, 1.0, 1.0]
    clusters = ["a", "a", "b", "b"]
    assert bootstrap_mean(values, resamples=400, seed=1, clusters=clusters) == (0.0, 1.0)
    indices = np.array([[0, 0], [0, 1], [1, 1], [0, 1]])
    low, high = bootstrap_mean(values, resamples=0, seed=0, clusters=clusters, indices=indices, level=0.5)
    assert (low, high) == (np.quantile([0, 0.5, 1, 0.5], 0.25), np.quantile([0, 0.5, 1, 0.5], 0.75))


def test_clusters_of_one_case_each_change_nothing():
    names = [f"{i:02}" for i in range(len(SKEWED))]
    assert bootstrap_mean(SKEWED, resamples=200, seed=4, clusters=names) == pytest.approx(
        bootstrap_mean(SKEWED, resamples=200, seed=4)
    )


def test_cases_that_share_a_document_widen_the_interval():
    values = np.repeat(np.random.default_rng(1).random(12), 8)
    clusters = [str(i // 8) for i in range(96)]
    plain = bootstrap_mean(values, resamples=500, seed=1)
    clustered = bootstrap_mean(values, resamples=500, seed=1, clusters=clusters)
    assert clustered[1] - clustered[0] > 1.5 * (plain[1] - plain[0])


def test_a_ratio_weighs_cases_by_their_denominators():
    # 1 of 1 and 0 of 3: resamples give 1/1, 1/4 or 0/3
    indices = np.array([[0, 0], [0, 1], [1, 1]])
    low, high = bootstrap_ratio([1, 0], [1, 3], resamples=0, seed=0, indices=indices, level=0.9999999)
    assert (low, high) == pytest.approx((0.0, 1.0), abs=1e-6)
    assert bootstrap_ratio([1, 0], [1, 3], resamples=0, seed=0, indices=indices[1:2]) == (0.25, 0.25)


def test_columns_resampled_together_get_the_intervals_they_get_alone():
    random = np.random.default_rng(2)
    ratios = [(random.random(n), np.ones(n)) for n in (20, 7, 20)]
    ratios += [(random.random(20), random.integers(1, 5, 20).astype(float)), (np.full(7, 0.3), np.ones(7))]
    together = bootstrap_ratios(ratios, resamples=100, seed=6)
    for (top, bottom), interval in zip(ratios, together, strict=True):
        assert interval == pytest.approx(bootstrap_ratio(top, bottom, resamples=100, seed=6), abs=1e-12)
    assert together[-1] == (0.3, 0.3)


@pytest.mark.parametrize("clusters", [None, [str(i % 5) for i in range(12)]])
def test_the_interval_of_a_median_is_that_of_the_medians_of_the_resamples(clusters):
    values = np.array([1, 1, 2, 5, 5, 7, 3, 9, 4, 4, 8, 2], dtype=float)
    names = np.arange(12) if clusters is None else np.array([int(c) for c in clusters])
    units = [values[names == name] for name in range(names.max() + 1)]
    drawn = resample_indices(len(units), resamples=80, seed=2)
    slow = [np.median(np.concatenate([units[u] for u in row])) for row in drawn]
    assert bootstrap_median(values, resamples=80, seed=2, clusters=clusters) == interval_of(np.array(slow))


def test_bca_without_spread_falls_back_to_the_percentile_interval():
    drawn = np.array([1.0, 2.0, 3.0])
    plain = interval_of(drawn)
    assert interval_of(drawn, estimate=0.5, jackknife=np.array([1.0, 2.0])) == plain
    assert interval_of(drawn, estimate=2.0, jackknife=np.array([1.0, 1.0])) == plain


def test_an_interval_over_nothing_is_an_error():
    with pytest.raises(ValueError, match="at least one value"):
        bootstrap_mean([], resamples=100, seed=1)
    with pytest.raises(ValueError, match="above 0"):
        bootstrap_ratio([1.0], [0.0], resamples=100, seed=1)
    with pytest.raises(ValueError, match="3 clusters for 2 values"):
        bootstrap_mean([1.0, 2.0], resamples=100, seed=1, clusters=["a", "b", "c"])


def test_a_statistic_that_is_mostly_undefined_has_no_interval():
    rows = np.array([1.0, 2.0, 3.0, 4.0])
    median = resampled_statistic(lambda i: float(np.median(rows[i])), 4, resamples=300, seed=1)
    assert median is not None
    assert 1.0 <= median[0] < median[1] <= 4.0
    assert resampled_statistic(lambda _: None, 4, resamples=100, seed=1) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30), st.sampled_from(["percentile", "bca"]))
def test_an_interval_lies_within_the_values(values, method):
    low, high = bootstrap_mean(values, resamples=100, seed=1, method=method)
    slack = 1e-9 * max(1.0, *map(abs, values))
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert min(values) - slack <= low <= high + slack
    assert high <= max(values) + slack
