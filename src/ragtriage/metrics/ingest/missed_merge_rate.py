"""How many near-duplicates stay apart in the index."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.duplicate_views import DuplicatesView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._merging import merged


@metric(
    title="Missed merges",
    unit="fraction of the labelled pairs",
    bounds=(0, 1),
    better="lower",
    source="Metrics for every stage of RAG: cleaning",
    aggregate="micro",
)
def missed_merge_rate(view: DuplicatesView) -> Score:
    """Share of the document pairs labelled as duplicates that do not end up in one group: they waste the index.

    Detected pairs are merged to groups, so a pair that was not detected itself may still be merged by way of a third
    document. Undefined where no pair is labelled as duplicates.

    >>> found, labelled = frozenset({("a", "b"), ("b", "c")}), frozenset({("a", "c"), ("d", "e")})
    >>> missed_merge_rate(DuplicatesView(found, labelled))
    Value(value=0.5, support=2)
    """
    count = len(view.duplicates)
    return (
        Value((count - merged(view).right) / count, support=count)
        if count
        else Undefined("no pair is labelled as duplicates")
    )
