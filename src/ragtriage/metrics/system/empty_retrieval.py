"""How many requests found nothing at all."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ServiceView


@metric(
    title="Empty retrieval",
    unit="fraction of requests",
    bounds=(0, 1),
    better="lower",
    source="Evaluating RAG, part 8",
    aggregate="set",
)
def empty_retrieval(views: Sequence[ServiceView]) -> Score:
    """Share of the requests that record their rankings whose retrieval brought nothing.

    Undefined when no trace records its rankings.

    >>> empty_retrieval([ServiceView("answered", empty_retrieval=False), ServiceView("answered", empty_retrieval=True)])
    Value(value=0.5, support=2)
    """
    known = [view.empty_retrieval for view in views if view.empty_retrieval is not None]
    if not known:
        return Undefined("no trace records its rankings")
    return Value(sum(known) / len(known), support=len(known))
