"""How many queries an index served while it lagged behind the documents."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.index_views import ServedView
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Stale queries",
    unit="fraction of queries",
    bounds=(0, 1),
    better="lower",
    source="Metrics for every stage of RAG: freshness",
)
def stale_query_share(view: ServedView) -> Score:
    """1 if a committed change was not yet searchable when the query was served, else 0.

    A time of which the log of changes tells nothing is one without any. Undefined where no event tells when changes
    were committed and seen, and of a question that was asked at another time than that of marker documents.

    >>> [stale_query_share(ServedView(lagging)).value for lagging in (True, False)]
    [1.0, 0.0]
    """
    if view.lagging is None:
        return Undefined("no event tells whether the index lagged")
    return Value(float(view.lagging), support=1)
