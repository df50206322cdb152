"""How many requests an index served that lags behind the corpus."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ServiceView


@metric(
    title="Stale index",
    unit="fraction of requests",
    bounds=(0, 1),
    better="lower",
    source="Evaluating RAG, part 8",
    aggregate="set",
)
def stale_index(views: Sequence[ServiceView]) -> Score:
    """Share of the requests that say which corpus their index was built from and that name another one than the run.

    Undefined when no trace says which corpus its index was built from.

    >>> stale_index([ServiceView("answered", stale_index=False), ServiceView("answered", stale_index=True)])
    Value(value=0.5, support=2)
    """
    known = [view.stale_index for view in views if view.stale_index is not None]
    if not known:
        return Undefined("no trace says which corpus its index was built from")
    return Value(sum(known) / len(known), support=len(known))
