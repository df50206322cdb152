"""Compression, position and redundancy of the context."""

from __future__ import annotations

import pytest

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import ContextView, ContextViewItem, PositionView
from ragtriage.metrics.context.compression_ratio import compression_ratio
from ragtriage.metrics.context.position_sensitivity import position_sensitivity
from ragtriage.metrics.context.redundancy import redundancy


@pytest.mark.parametrize(("before", "after", "ratio"), [(100, 25, 4.0), (100, 100, 1.0), (0, 5, 0.0)])
def test_the_ratio_is_before_over_after(before: int, after: int, ratio: float) -> None:
    view = ContextView(items=(), groups=(), tokens_before=before, tokens_after=after)
    assert compression_ratio(view) == Value(ratio, after)


@pytest.mark.parametrize(("before", "after"), [(None, 5), (5, None), (5, 0)])
def test_the_ratio_is_undefined_without_both_counts_or_when_nothing_is_left(
    before: int | None, after: int | None
) -> None:
    view = ContextView(items=(), groups=(), tokens_before=before, tokens_after=after)
    assert isinstance(compression_ratio(view), Undefined)


@pytest.mark.parametrize(
    ("places", "bend"),
    [((1.0, 0.0, 1.0), 1.0), ((0.0, 1.0, 0.0), -1.0), ((0.5, 0.5, 0.5), 0.0), ((1.0, 0.5, 0.0), 0.0)],
)
def test_the_bend_is_the_mean_of_the_ends_less_the_middle(places: tuple[float, float, float], bend: float) -> None:
    assert position_sensitivity(PositionView(*places)) == Value(bend, 3)


def test_the_bend_needs_all_three_places() -> None:
    assert isinstance(position_sensitivity(PositionView(1.0, None, 1.0)), Undefined)


def texts(*given: str) -> ContextView:
    items = (ContextViewItem(id=str(n), text=t, grade=None, cited=None, used=None) for n, t in enumerate(given))
    return ContextView(items=tuple(items), groups=())


def test_redundant_items_are_those_that_repeat_an_earlier_one() -> None:
    fee = "Комиссия за перевод составляет один процент от суммы"
    assert redundancy(texts(fee, fee.upper(), "Отделение открыто до семи вечера", f"{fee}!")) == Value(0.5, 4)
    assert redundancy(texts(fee, "Отделение открыто до семи вечера")) == Value(0.0, 2)


def test_redundancy_needs_two_items() -> None:
    assert isinstance(redundancy(texts("one")), Undefined)
    assert isinstance(redundancy(ContextView(items=None, groups=())), Undefined)
