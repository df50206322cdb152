"""Questions of which a part of the answer was filtered away."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import FilterView


@metric(
    title="Partial exclusion by filters",
    unit="fraction of questions",
    bounds=(0, 1),
    better="lower",
    source="Evaluating RAG, part 5",
)
def partial_exclusion(view: FilterView) -> Score:
    """1 if the applied hard predicates removed some but not all eligible gold documents, else 0.

    Undefined as `filters.false_exclusion_rate` is: no eligible gold document, no recorded predicates, or a predicate of
    unknown mode that would remove one.

    >>> partial_exclusion(FilterView(eligible=frozenset({"d1", "d2"}), survivors=frozenset({"d1", "d4"})))
    Value(value=1.0, support=1)
    """
    if not view.eligible:
        return Undefined("no eligible gold document")
    if view.survivors is None:
        return Undefined("the trace records no predicates")
    if view.unknown_modes:
        return Undefined(f"the trace does not tell whether {view.unknown_modes[0]} is hard or soft")
    removed = view.eligible - view.survivors
    return Value(float(bool(removed) and removed != view.eligible), support=1)
