import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.score import Failed, Undefined, Value
from ragtriage.stats.aggregate import Columns, aggregate

OUTCOMES = st.lists(
    st.one_of(
        st.builds(Value, st.floats(-10, 10), st.integers(1, 5)),
        st.builds(Undefined, st.sampled_from(["no claim", "no reference"])),
        st.builds(Failed, st.just("judge"), st.just("Timeout"), st.just("")),
    ),
    max_size=25,
)


def test_failures_stand_beside_the_mean_and_bound_it(shared):
    case = json.loads(shared("cases/inputs/B33.json").read_text())
    outcomes = [
        Failed("judge", error, "") if score is None else Value(score, 1)
        for score, error in zip(case["scores"], case["errors"], strict=True)
    ]
    result = aggregate(outcomes)
    assert result.value == pytest.approx(0.90)
    assert result.coverage == (2, 10)
    assert result.failed_share == 0.8
    assert result.with_failures_as(0.0) == pytest.approx(0.18)


def test_micro_weighs_by_the_denominators():
    result = aggregate([Value(1.0, 1), Value(0.0, 3)])
    assert (result.value, result.micro) == (0.5, 0.25)
    assert aggregate([Value(1.0, 1), Value(0.0, 3)], how="micro").value == 0.25


def test_the_median_of_an_even_number_lies_between():
    assert aggregate([Value(v, 1) for v in (1.0, 9.0, 2.0, 4.0)], how="median").value == 3.0


def test_without_a_number_the_reason_is_told():
    result = aggregate([Undefined("no claim"), Undefined("no claim"), Failed("judge", "Timeout", "after 60 s")])
    assert result.value is None
    assert result.reason == "no claim (2 cases; 1 for other reasons)"
    assert result.with_failures_as(0.0) == 0.0
    assert aggregate([]).reason == "there are no cases"
    assert aggregate([]).with_failures_as(0.0) is None
    assert aggregate([Failed("judge", "Timeout", "after 60 s")]).reason == "judge failed: Timeout: after 60 s"


def test_a_set_level_metric_is_never_averaged():
    with pytest.raises(ValueError, match="computed over its cases"):
        aggregate([Value(1.0, 1)], how="set")


@settings(deadline=None)
@given(OUTCOMES, st.randoms())
def test_the_order_of_cases_does_not_matter_and_no_case_is_lost(outcomes, random):
    shuffled = list(outcomes)
    random.shuffle(shuffled)
    first, second = aggregate(outcomes), aggregate(shuffled)
    assert first == second
    assert first.scored + first.undefined + first.failed == len(outcomes)
    numbers = [o.value for o in outcomes if isinstance(o, Value)]
    if numbers:
        assert first.value == pytest.approx(math.fsum(numbers) / len(numbers))
    else:
        assert first.value is None


def test_columns_can_be_taken_by_rows():
    columns = Columns.of([Value(0.5, 2), Undefined("no claim"), Failed("judge", "Timeout", "")]).take([2, 0])
    assert aggregate(columns) == aggregate([Failed("judge", "Timeout", ""), Value(0.5, 2)])
