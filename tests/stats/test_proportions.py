import pytest
from statsmodels.stats.proportion import proportion_confint

from ragtriage.stats.proportions import wilson


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (1, 1), (0, 30), (30, 30), (3, 7), (999, 1000)])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_wilson_agrees_with_statsmodels(successes, trials, level):
    reference = proportion_confint(successes, trials, alpha=1 - level, method="wilson")
    assert wilson(successes, trials, level=level) == pytest.approx(reference, abs=1e-9)


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (3, 2), (-1, 4)])
def test_what_is_no_rate_is_an_error(successes, trials):
    with pytest.raises(ValueError, match="is no rate"):
        wilson(successes, trials)
