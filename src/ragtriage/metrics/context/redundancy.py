"""How much of the context only repeats what stands in it already."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ContextView
from ragtriage.text.similarity import near_duplicates


@metric(
    title="Context redundancy",
    unit="fraction of context items",
    bounds=(0, 1),
    better="lower",
    source="Evaluating RAG, part 6",
)
def redundancy(view: ContextView, *, threshold: float = 0.8) -> Score:
    """Share of the context items that nearly repeat an earlier one (Jaccard of word triples at least `threshold`).

    Undefined when the trace records no context, or it holds fewer than two items.

    >>> from ragtriage.core.views import ContextViewItem
    >>> texts = ["The fee is one percent.", "The fee is one percent!", "Open on Sundays."]
    >>> items = tuple(ContextViewItem(id=t, text=t, grade=None, cited=None, used=None) for t in texts)
    >>> round(redundancy(ContextView(items=items, groups=())).value, 4)
    0.3333
    """
    if view.items is None:
        return Undefined("the trace records no context")
    if len(view.items) < 2:  # noqa: PLR2004 - a single item can repeat nothing
        return Undefined("the context holds fewer than two items")
    repeats = near_duplicates([item.text for item in view.items], threshold=threshold)
    return Value(sum(r is not None for r in repeats) / len(repeats), support=len(repeats))
