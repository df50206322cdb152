import json

import numpy as np
import pytest
from scipy import special, stats

from ragtriage.stats.shift import category_shift, number_shift, shifted_share

RANDOM = np.random.default_rng(4)


def test_a_constant_column_is_not_tested_and_does_not_shift(shared):
    case = json.loads(shared("cases/inputs/B59.json").read_text())
    shift = category_shift(case["reference"], case["current"])
    assert (shift.p, shift.note) == (1.0, "constant, not tested")
    moved = category_shift(["a"] * 40, ["b"] * 10)
    assert shifted_share({"constant": shift, "moved": moved}) == (1, 2)
    assert shifted_share({}) == (0, 0)


def test_one_category_on_each_side_is_no_constant_column():
    assert category_shift(["answered"] * 40, ["abstained"] * 10).p < 1e-9


@pytest.mark.parametrize("sizes", [(40, 10), (7, 300), (1000, 1000)])
@pytest.mark.parametrize("names", [2, 3, 9])
def test_chi_square_agrees_with_scipy(sizes, names):
    before, after = (RANDOM.integers(0, names, size) for size in sizes)
    table = [[(side == name).sum() for name in range(names) if name in {*before, *after}] for side in (before, after)]
    reference = stats.chi2_contingency(table, correction=False)
    shift = category_shift(before.astype(str).tolist(), after.astype(str).tolist())
    assert shift.statistic == pytest.approx(reference.statistic, abs=1e-9)
    assert shift.p == pytest.approx(reference.pvalue, abs=1e-9)


@pytest.mark.parametrize("sizes", [(40, 10), (7, 300), (500, 500)])
@pytest.mark.parametrize("moved", [0.0, 0.3, 2.0])
def test_kolmogorov_smirnov_agrees_with_scipy(sizes, moved):
    before = RANDOM.normal(0, 1, sizes[0]).round(1)
    after = RANDOM.normal(moved, 1, sizes[1]).round(1)
    shift = number_shift(before.tolist(), after.tolist())
    gap = stats.ks_2samp(before, after).statistic
    assert shift.statistic == pytest.approx(gap, abs=1e-9)
    en = np.sqrt(sizes[0] * sizes[1] / sum(sizes))
    assert shift.p == pytest.approx(special.kolmogorov(en * gap), abs=1e-9)


def test_a_side_without_rows_is_an_error():
    with pytest.raises(ValueError, match="rows on both sides"):
        category_shift([], ["a"])
    with pytest.raises(ValueError, match="finite numbers"):
        number_shift([float("nan")], [1.0])
