"""How much of what is needed several rewrites of one question find together."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.query_views import MultiQueryView
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Multi-query recall",
    unit="fraction of the needed evidence",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG: query understanding",
)
def multi_query_recall(view: MultiQueryView, *, k: int, n: int | None = None) -> Score:
    """Share of the needed evidence that the first k results of any of the first `n` rewrites hold.

    `n` None: all rewrites. The gain of one more rewrite is the difference to `n` less one.
    Undefined when nothing is needed, when the trace records no ranking for each rewrite, and when it has fewer than `n`
    rewrites: their union would be that of fewer.

    >>> view = MultiQueryView(needed=frozenset("abc"), found=({"a": 1}, {"a": 2, "b": 3}))
    >>> multi_query_recall(view, k=5, n=1), multi_query_recall(view, k=5)
    (Value(value=0.3333333333333333, support=3), Value(value=0.6666666666666666, support=3))
    """
    if view.found is None:
        return Undefined("the trace records no ranking for each rewrite")
    if not view.needed:
        return Undefined("nothing is relevant")
    if not view.found or (n is not None and len(view.found) < n):
        return Undefined(f"the question has {len(view.found)} rewrites")
    union = {unit for one in view.found[:n] for unit, rank in one.items() if rank <= k}
    return Value(len(union & view.needed) / len(view.needed), len(view.needed))
