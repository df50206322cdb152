"""How much of the context is about the answer."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ContextView


@metric(
    title="Context relevance",
    unit="fraction of context items",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 6; UMBRELA (Upadhyay et al. 2024)",
    asks=("relevance",),
)
def relevance(view: ContextView, *, min_grade: int = 1) -> Score:
    """Share of the judged context items whose grade is at least `min_grade`; the rest is noise under that threshold.

    The grade of an item is that of the evidence it holds; in a case without evidence that of a judge model (0-3), where
    one judged. Undefined when the trace records no context, or no item of
    it is judged.

    >>> from ragtriage.core.views import ContextViewItem
    >>> gold = ContextViewItem(id="c1", text="", grade=2, cited=None, used=None)
    >>> junk = ContextViewItem(id="c2", text="", grade=0, cited=None, used=None)
    >>> relevance(ContextView(items=(gold, junk), groups=()))
    Value(value=0.5, support=2)
    """
    if view.items is None:
        return Undefined("the trace records no context")
    grades = [item.grade for item in view.items if item.grade is not None]
    if not grades:
        return Undefined("no context item is judged")
    return Value(sum(grade >= min_grade for grade in grades) / len(grades), support=len(grades))
