"""What the system's rewrite wins over RM3, the floor of every expander."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.query_views import FloorPair
from ragtriage.core.score import Scores
from ragtriage.metrics.query._recall import recall_gain


@metric(
    title="Expansion over RM3",
    unit="difference of recall",
    bounds=(-1, 1),
    better="higher",
    source="Metrics for every stage of RAG: query understanding",
    levels=("evidence", "chunk", "document"),
)
def expansion_over_rm3(pair: FloorPair, *, k: int) -> Scores:
    """Recall of the rewritten question minus recall of the question expanded by RM3, in the first k.

    Shapes: grades [questions, depth] twice -> values [questions]. Undefined when nothing is relevant.

    >>> from ragtriage.core.rankings import Rankings
    >>> gold = [{"a": 1, "b": 1}]
    >>> before, after = Rankings.of([["a", "x"]], gold), Rankings.of([["b", "a"]], gold)
    >>> list(expansion_over_rm3(FloorPair(before, after), k=2))
    [Value(value=0.5, support=2)]
    """
    return recall_gain(pair, k=k)
