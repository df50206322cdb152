"""Context relevance: the share of items that hold evidence."""

from __future__ import annotations

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import ContextView, ContextViewItem
from ragtriage.metrics.context.relevance import relevance


def view(*grades: int | None) -> ContextView:
    items = (ContextViewItem(id=str(n), text="", grade=g, cited=None, used=None) for n, g in enumerate(grades))
    return ContextView(items=tuple(items), groups=())


def test_unjudged_items_are_left_out_and_the_threshold_can_be_raised() -> None:
    assert relevance(view(0, 1, 2, 3, None)) == Value(0.75, 4)
    assert relevance(view(0, 1, 2, 3, None), min_grade=2) == Value(0.5, 4)
    assert relevance(view(0)) == Value(0.0, 1)


def test_without_a_context_or_a_judged_item_there_is_no_number() -> None:
    assert isinstance(relevance(ContextView(items=None, groups=())), Undefined)
    assert isinstance(relevance(view()), Undefined)
    assert isinstance(relevance(view(None)), Undefined)
