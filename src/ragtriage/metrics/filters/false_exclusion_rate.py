"""Questions whose answer was filtered away before anything was ranked."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import FilterView


@metric(
    title="Filter false-exclusion rate",
    unit="fraction of questions",
    bounds=(0, 1),
    better="lower",
    source="Evaluating RAG, part 5",
)
def false_exclusion_rate(view: FilterView) -> Score:
    """1 if the applied hard predicates removed every eligible gold document, else 0.

    Eligible means gold and permitted to the principal at the case's date: a document that the ACL rightly hides is no
    false exclusion. Undefined when the case has no eligible gold document, when the trace records no predicates, and
    when only predicates whose mode it does not tell would remove one.

    >>> false_exclusion_rate(FilterView(eligible=frozenset({"d2"}), survivors=frozenset({"d1", "d4"})))
    Value(value=1.0, support=1)
    """
    if not view.eligible:
        return Undefined("no eligible gold document")
    if view.survivors is None:
        return Undefined("the trace records no predicates")
    excluded = view.eligible.isdisjoint(view.survivors)
    if view.unknown_modes and not excluded:
        return Undefined(f"the trace does not tell whether {view.unknown_modes[0]} is hard or soft")
    return Value(float(excluded), support=1)
