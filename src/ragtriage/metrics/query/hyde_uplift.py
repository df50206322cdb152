"""What searching by a hypothetical answer wins over searching by the question."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.query_views import HydePair
from ragtriage.core.score import Scores
from ragtriage.metrics.query._recall import recall_gain


@metric(
    title="HyDE uplift",
    unit="difference of recall",
    bounds=(-1, 1),
    better="higher",
    source="Metrics for every stage of RAG: query understanding; Gao et al. 2022",
    levels=("evidence", "chunk", "document"),
)
def hyde_uplift(pair: HydePair, *, k: int) -> Scores:
    """Recall by a hypothetical answer (HyDE, Gao et al. 2022) minus recall by the raw question, in the first k.

    Slice it by domain: a model that knows the domain writes answers that look like its documents, and elsewhere it
    misleads. Shapes: grades [questions, depth] twice -> values [questions]. Undefined when nothing is relevant.

    >>> from ragtriage.core.rankings import Rankings
    >>> gold = [{"a": 1, "b": 1}]
    >>> before, after = Rankings.of([["a", "x"]], gold), Rankings.of([["b", "a"]], gold)
    >>> list(hyde_uplift(HydePair(before, after), k=2))
    [Value(value=0.5, support=2)]
    """
    return recall_gain(pair, k=k)
