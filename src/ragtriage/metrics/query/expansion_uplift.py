"""What rewriting or expanding the question wins over asking it as it was put."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.query_views import ExpansionPair
from ragtriage.core.score import Scores
from ragtriage.metrics.query._recall import recall_gain


@metric(
    title="Expansion uplift",
    unit="difference of recall",
    bounds=(-1, 1),
    better="higher",
    source="Metrics for every stage of RAG: query understanding",
    levels=("evidence", "chunk", "document"),
)
def expansion_uplift(pair: ExpansionPair, *, k: int) -> Scores:
    """Recall of the rewritten question minus recall of the raw one, in the first k, over the same questions.

    Negative: the rewrite loses what the question would have found. Read it beside `query.rm3_uplift`, the floor that an
    expander has to beat, and `query.expansion_over_rm3`, the difference of the two. Shapes: grades [questions, depth]
    twice -> values [questions]. Undefined when nothing is relevant.

    >>> from ragtriage.core.rankings import Rankings
    >>> gold = [{"a": 1, "b": 1}]
    >>> before, after = Rankings.of([["a", "x"]], gold), Rankings.of([["b", "a"]], gold)
    >>> list(expansion_uplift(ExpansionPair(before, after), k=2))
    [Value(value=0.5, support=2)]
    """
    return recall_gain(pair, k=k)
