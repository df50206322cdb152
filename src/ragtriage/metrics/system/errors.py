"""How many requests broke."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ServiceView


@metric(
    title="Errors",
    unit="fraction of requests",
    bounds=(0, 1),
    better="lower",
    source="Evaluating RAG, part 8",
    aggregate="set",
)
def errors(views: Sequence[ServiceView]) -> Score:
    """Share of all requests that ended in an error; `system.timeouts` alone counts those that ran out of time.

    Undefined when there is no request.

    >>> errors([ServiceView("answered"), ServiceView("error")])
    Value(value=0.5, support=2)
    """
    if not views:
        return Undefined("there is no request")
    return Value(sum(view.outcome == "error" for view in views) / len(views), support=len(views))
