"""Partial exclusion: some of the eligible documents removed, not all."""

from __future__ import annotations

import pytest

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import FilterView
from ragtriage.metrics.filters.partial_exclusion import partial_exclusion


@pytest.mark.parametrize(
    ("survivors", "value"), [({"a", "b", "x"}, 0.0), ({"a", "x"}, 1.0), ({"x"}, 0.0), (set(), 0.0)]
)
def test_it_is_partial_only_between_nothing_and_everything(survivors: set[str], value: float) -> None:
    view = FilterView(frozenset({"a", "b"}), frozenset(survivors))
    assert partial_exclusion(view) == Value(value, 1)


def test_it_is_undefined_without_gold_predicates_or_modes() -> None:
    assert isinstance(partial_exclusion(FilterView(frozenset(), frozenset())), Undefined)
    assert isinstance(partial_exclusion(FilterView(frozenset({"a"}), None)), Undefined)
    assert isinstance(partial_exclusion(FilterView(frozenset({"a"}), frozenset({"a"}), {}, ("p",))), Undefined)
