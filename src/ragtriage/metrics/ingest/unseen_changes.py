"""How many changes the index did not show in time."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.index_views import ChangeView
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Unseen changes",
    unit="fraction of changes",
    bounds=(0, 1),
    better="lower",
    source="Metrics for every stage of RAG: freshness",
)
def unseen_changes(view: ChangeView, *, kind: str = "") -> Score:
    """1 if no search showed the change within its deadline, else 0; of one `kind` (written, deleted) or of both.

    These have no lag; this counts them. Undefined for a change of another kind.

    >>> [unseen_changes(ChangeView("written", lag, deadline_ms=9000)).value for lag in (100.0, None)]
    [0.0, 1.0]
    """
    if kind not in {"", "written", "deleted"}:
        raise ValueError(f"kind must be 'written' or 'deleted'. Got {kind!r} instead")
    if kind and view.kind != kind:
        return Undefined(f"the document was {view.kind}")
    return Value(float(view.lag_ms is None), support=1)
