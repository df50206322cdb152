"""How many requests ran out of time."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ServiceView


@metric(
    title="Time-outs",
    unit="fraction of requests",
    bounds=(0, 1),
    better="lower",
    source="Evaluating RAG, part 8",
    aggregate="set",
)
def timeouts(views: Sequence[ServiceView]) -> Score:
    """Share of all requests that ran into their time limit.

    Undefined when there is no request.

    >>> timeouts([ServiceView("answered"), ServiceView("timeout")])
    Value(value=0.5, support=2)
    """
    if not views:
        return Undefined("there is no request")
    return Value(sum(view.outcome == "timeout" for view in views) / len(views), support=len(views))
