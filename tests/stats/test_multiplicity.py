import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from ragtriage.stats.multiplicity import benjamini_hochberg, holm, holm_levels

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@settings(max_examples=15, deadline=None)
@given(P_VALUES)
def test_holm_agrees_with_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(P_VALUES)
def test_benjamini_hochberg_agrees_with_statsmodels(p_values):
    assert benjamini_hochberg(p_values) == pytest.approx(list(multipletests(p_values, method="fdr_bh")[1]), abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(P_VALUES)
def test_a_test_passes_its_level_exactly_where_holm_rejects_it(p_values):
    levels = holm_levels(p_values, alpha=0.05)
    rejected = [bool(r) for r in multipletests(p_values, alpha=0.05, method="holm")[0]]
    assert [p <= level for p, level in zip(p_values, levels, strict=True)] == rejected


def test_no_test_needs_no_adjustment():
    assert holm([]) == benjamini_hochberg([]) == holm_levels([]) == []


def test_a_p_outside_its_range_is_an_error():
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        holm([0.5, 1.5])
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        benjamini_hochberg([float("nan")])
