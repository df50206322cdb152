"""What expanding the question without any model wins: the floor of every expander."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.query_views import Rm3Pair
from ragtriage.core.score import Scores
from ragtriage.metrics.query._recall import recall_gain


@metric(
    title="RM3 uplift",
    unit="difference of recall",
    bounds=(-1, 1),
    better="higher",
    source="Metrics for every stage of RAG: query understanding; Lavrenko and Croft 2001, Abdul-Jaleel et al. 2004",
    levels=("evidence", "chunk", "document"),
)
def rm3_uplift(pair: Rm3Pair, *, k: int) -> Scores:
    """Recall of the question expanded by RM3 minus recall of the raw question, in the first k.

    RM3 takes terms from the first results of the raw question and needs no model; an expander that wins no more than
    this is not worth its calls. Shapes: grades [questions, depth] twice -> values [questions]. Undefined when nothing
    is relevant.

    >>> from ragtriage.core.rankings import Rankings
    >>> gold = [{"a": 1, "b": 1}]
    >>> before, after = Rankings.of([["a", "x"]], gold), Rankings.of([["b", "a"]], gold)
    >>> list(rm3_uplift(Rm3Pair(before, after), k=2))
    [Value(value=0.5, support=2)]
    """
    return recall_gain(pair, k=k)
