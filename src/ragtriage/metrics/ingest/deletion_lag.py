"""How long a deleted document can still be found."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.index_views import ChangeView
from ragtriage.core.score import Score
from ragtriage.metrics.ingest._lags import lag_percentile


@metric(
    title="Deletion lag",
    unit="milliseconds",
    bounds=(0, math.inf),
    better="lower",
    source="Metrics for every stage of RAG: freshness",
    aggregate="set",
    parts=("percentile", (50, 99)),
    beyond=True,
)
def deletion_lag(views: Sequence[ChangeView], *, percentile: float = 50) -> Score:
    """Time from the deletion of a document to the first search without it, as a percentile over documents.

    By linear interpolation; `percentile=99` for the slow ones. A document that no search was without within the
    deadline has no number and stands behind all others. Support: documents deleted, those among them. Undefined where
    none was deleted, and where the percentile reaches one without a number.

    >>> deletion_lag([ChangeView("deleted", lag, deadline_ms=9000) for lag in (100.0, 300.0)])
    Value(value=200.0, support=2)
    """
    return lag_percentile(views, kind="deleted", percentile=percentile)
