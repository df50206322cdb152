"""A plan may be continued by the same plan alone."""

from __future__ import annotations

import pytest

from ragtriage.core.errors import PlanChanged
from ragtriage.runs.plan import Plan

FIRST = Plan({"corpus": "abc", "seed": "1"}, {}, base=".")


def test_equal_bundles_are_the_same_plan_wherever_they_lie() -> None:
    moved = Plan({"seed": "1", "corpus": "abc"}, {}, base="/elsewhere", limit=3)
    assert moved.identity == FIRST.identity
    FIRST.check_same(moved, folder="runs/x")


def test_each_field_that_differs_is_named_with_both_values() -> None:
    other = Plan({"corpus": "xyz", "judge": "none"}, {}, base=".")
    assert FIRST.differences(other) == ("corpus: abc -> xyz", "judge: (none) -> none", "seed: 1 -> (none)")
    with pytest.raises(PlanChanged, match=r"(?s)runs/x.*corpus: abc -> xyz.*seed: 1 -> \(none\)") as refused:
        FIRST.check_same(other, folder="runs/x")
    assert refused.value.exit_code == 2


def test_a_plan_survives_the_way_through_json() -> None:
    assert Plan.from_json(FIRST.to_json()) == FIRST


def test_a_long_value_is_cut_in_the_message() -> None:
    (line,) = FIRST.differences(Plan({"corpus": "abc", "seed": "9" * 500}, {}, base="."))
    assert len(line) < 150
