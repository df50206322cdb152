"""How much of the needed evidence reached the model."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ContextView


@metric(
    title="Evidence in the context",
    unit="fraction of needed evidence groups",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 6",
)
def evidence_recall(view: ContextView) -> Score:
    """Share of the needed groups of gold evidence that stand in the assembled context, after cut-off and compression.

    Undefined when the case needs no evidence or the trace records no context.

    >>> from ragtriage.core.views import GroupState
    >>> kept, lost = GroupState("a", True, True, True), GroupState("b", True, True, False)
    >>> evidence_recall(ContextView(items=(), groups=(kept, lost)))
    Value(value=0.5, support=2)
    """
    if not view.groups:
        return Undefined("the case needs no evidence")
    if any(group.in_context is None for group in view.groups):
        return Undefined("the trace records no context")
    return Value(sum(group.in_context is True for group in view.groups) / len(view.groups), support=len(view.groups))
