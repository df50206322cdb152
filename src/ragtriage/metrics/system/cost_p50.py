"""What half of the questions cost at most."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ServiceView
from ragtriage.metrics.system._latency import percentile


@metric(
    title="Cost, 50th percentile",
    unit="US dollars a question",
    bounds=(0, math.inf),
    better="lower",
    source="Evaluating RAG, part 8",
    aggregate="set",
)
def cost_p50(views: Sequence[ServiceView]) -> Score:
    """50th percentile of the money spent on a question, over the requests that record it, by linear interpolation.

    Undefined when no trace records a cost.

    >>> calls = [ServiceView("answered", cost=c) for c in (0.01, 0.02, 0.04)]
    >>> round(cost_p50(calls).value, 4)
    0.02
    """
    costs = [view.cost for view in views if view.cost is not None]
    if not costs:
        return Undefined("no trace records a cost")
    return Value(percentile(costs, 0.5), support=len(costs))
