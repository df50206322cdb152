"""How much of the evidence that was found got lost on the way into the context."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ContextView


@metric(
    title="Dropped evidence",
    unit="fraction of evidence groups among the candidates",
    bounds=(0, 1),
    better="lower",
    source="Evaluating RAG, part 6",
)
def dropped_evidence(view: ContextView) -> Score:
    """Share of the needed groups among the candidates that are not in the context.

    Undefined when the trace records no candidates or no context, and when no needed group is among the candidates.

    >>> from ragtriage.core.views import GroupState
    >>> kept, lost = GroupState("a", True, True, True), GroupState("b", True, False, False)
    >>> never = GroupState("c", False, False, False)
    >>> dropped_evidence(ContextView(items=(), groups=(kept, lost, never)))
    Value(value=0.5, support=2)
    """
    if any(group.in_candidates is None or group.in_context is None for group in view.groups):
        return Undefined("the trace does not record both candidates and context")
    found = [group for group in view.groups if group.in_candidates]
    if not found:
        return Undefined("no needed evidence is among the candidates")
    return Value(sum(not group.in_context for group in found) / len(found), support=len(found))
