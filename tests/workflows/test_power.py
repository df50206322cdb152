import pytest
from statsmodels.stats.power import normal_sample_size_one_tail
from tests.workflows.test_compare import run_of

from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.workflows.power import power

RECALL = "retrieval.recall@4"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run that finds half of twelve documents, and one that finds another half."""
    place = tmp_path_factory.mktemp("power")
    return run_of(place / "one", range(6)), run_of(place / "other", range(3, 9))


def test_one_run_bounds_the_spread_of_pairs(runs):
    found = power(RECALL, run=runs[0], effect=0.1)
    deviation = (2 * 12 * 0.25 / 11) ** 0.5  # six ones and six zeros, as if two runs had nothing in common
    assert (found.cases, found.measured) == (12, False)
    assert found.deviation == pytest.approx(deviation)
    needed = normal_sample_size_one_tail(0.1, 0.8, 0.025, std_null=deviation)
    assert found.needed - 1 < needed <= found.needed
    assert f"{found.needed} cases are needed" in str(found)


def test_two_runs_give_the_spread_of_the_pairs(runs):
    found = power(RECALL, run=runs[0].folder, other=runs[1].folder)
    # three cases lost, three won, six unchanged
    assert found.deviation == pytest.approx((6 / 11) ** 0.5)
    assert found.measured
    assert found.needed is None
    assert normal_sample_size_one_tail(found.detectable, 0.8, 0.025, std_null=found.deviation) == pytest.approx(12)


def test_what_cannot_be_planned_is_an_error(runs):
    with pytest.raises(UnknownName, match="Did you mean"):
        power("retrieval.recal@4", run=runs[0])
    with pytest.raises(BadInput, match="effect of 0"):
        power(RECALL, run=runs[0], effect=0.0)
    with pytest.raises(BadInput, match="at least 2"):
        power("retrieval.coverage", run=runs[0])
