"""What fusing the lanes wins over the strongest of them."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import FusionPair
from ragtriage.metrics.retrieval._uplift import Measure, uplift


@metric(
    title="Fusion uplift",
    unit="difference of the measure",
    bounds=(-1, 1),
    better="higher",
    source="Evaluating RAG, part 4",
    levels=("chunk", "document"),
)
def fusion_uplift(pair: FusionPair, *, k: int = 10, of: Measure = "ndcg") -> Scores:
    """Measure of the fused list minus that of the strongest single list, in the first k.

    Both sides must hold the same candidates, else the difference speaks of another pool: raises ValueError. Shapes:
    grades [questions, depth] twice -> values [questions]. Undefined when nothing is relevant.

    >>> from ragtriage.core.views import Rankings
    >>> before = Rankings.of([["n", "a"]], [{"a": 1}])
    >>> after = Rankings.of([["a", "n"]], [{"a": 1}])
    >>> list(fusion_uplift(FusionPair(before, after), of="reciprocal_rank"))
    [Value(value=0.5, support=1)]
    """
    return uplift(pair, of=of, k=k)
