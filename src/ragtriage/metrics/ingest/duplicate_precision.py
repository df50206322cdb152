"""How many of the detected near-duplicates are ones."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.duplicate_views import DuplicatesView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._merging import detected


@metric(
    title="Precision of duplicate detection",
    unit="fraction of the detected pairs",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG: cleaning; Broder 1997",
    aggregate="micro",
)
def duplicate_precision(view: DuplicatesView) -> Score:
    """Share of the detected document pairs that are labelled as duplicates.

    Where pairs are labelled as different too, those without a label do not count. Undefined where no pair was detected,
    or none of them has a label.

    >>> found, labelled = frozenset({("a", "b"), ("a", "c")}), frozenset({("a", "b"), ("d", "e")})
    >>> duplicate_precision(DuplicatesView(found, labelled))
    Value(value=0.5, support=2)
    """
    pairs = detected(view)
    if not pairs:
        return Undefined("no pair was detected" if not view.found else "no detected pair is labelled")
    return Value(len(pairs & view.duplicates) / len(pairs), support=len(pairs))
