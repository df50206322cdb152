"""What all questions cost together."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ServiceView


@metric(
    title="Cost in all",
    unit="US dollars",
    bounds=(0, math.inf),
    better="lower",
    source="Evaluating RAG, part 8",
    aggregate="set",
)
def cost_total(views: Sequence[ServiceView]) -> Score:
    """Money spent on all questions together.

    Undefined when no trace records a cost, or an answered one does not: a sum with gaps would be too low.

    >>> cost_total([ServiceView("answered", cost=0.25), ServiceView("error", cost=0.5), ServiceView("timeout")])
    Value(value=0.75, support=2)
    """
    costs = [view.cost for view in views if view.cost is not None]
    if not costs:
        return Undefined("no trace records a cost")
    gaps = sum(view.cost is None and view.outcome == "answered" for view in views)
    if gaps:
        return Undefined(f"{gaps} of {len(views)} requests record no cost")
    return Value(math.fsum(costs), support=len(costs))
