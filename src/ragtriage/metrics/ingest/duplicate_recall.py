"""How many of the near-duplicates were detected."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.duplicate_views import DuplicatesView
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Recall of duplicate detection",
    unit="fraction of the labelled pairs",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG: cleaning; Broder 1997",
    aggregate="micro",
)
def duplicate_recall(view: DuplicatesView) -> Score:
    """Share of the document pairs labelled as duplicates that were detected as pairs.

    `ingest.missed_merge_rate` asks instead whether they end up in one group. Undefined where no pair is labelled as
    duplicates.

    >>> found, labelled = frozenset({("a", "b"), ("a", "c")}), frozenset({("a", "b"), ("d", "e")})
    >>> duplicate_recall(DuplicatesView(found, labelled))
    Value(value=0.5, support=2)
    """
    if not view.duplicates:
        return Undefined("no pair is labelled as duplicates")
    return Value(len(view.found & view.duplicates) / len(view.duplicates), support=len(view.duplicates))
