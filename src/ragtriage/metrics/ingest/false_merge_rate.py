"""How much of what merging near-duplicates puts together does not belong together."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.duplicate_views import DuplicatesView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._merging import merged


@metric(
    title="False merges",
    unit="fraction of the merged pairs",
    bounds=(0, 1),
    better="lower",
    source="Metrics for every stage of RAG: cleaning",
    aggregate="micro",
)
def false_merge_rate(view: DuplicatesView) -> Score:
    """Share of the document pairs in one group that are labelled as different: what is lost from the index, wrongly.

    Detected pairs are merged to groups: where a is taken for b and b for c, the pair of a and c is merged as well. This
    is how a detector of good precision can still destroy much, and spoils answers. Pairs without a label count as
    different unless pairs are labelled as different. Undefined where no labelled pair is merged.

    >>> found, labelled = frozenset({("a", "b"), ("b", "c")}), frozenset({("a", "b")})
    >>> false_merge_rate(DuplicatesView(found, labelled))
    Value(value=0.6666666666666666, support=3)
    """
    pairs = merged(view)
    total = pairs.right + pairs.wrong
    return Value(pairs.wrong / total, support=total) if total else Undefined("no labelled pair is merged")
