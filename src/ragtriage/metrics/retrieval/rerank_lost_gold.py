"""How often the reranker throws relevant results out of the first k."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import RerankPair
from ragtriage.metrics.retrieval._uplift import check_same_candidates


@metric(
    title="Gold lost by the reranker",
    unit="fraction of questions",
    bounds=(0, 1),
    better="lower",
    source="Evaluating RAG, part 4",
    levels=("evidence", "chunk", "document"),
)
def rerank_lost_gold(pair: RerankPair, *, k: int) -> Scores:
    """1 if fewer relevant items stand in the first k after reranking than before, else 0.

    Raises ValueError where the two sides hold other candidates. Shapes: grades [questions, depth] twice -> values
    [questions]. Undefined when nothing is relevant.

    >>> from ragtriage.core.views import Rankings
    >>> before = Rankings.of([["a", "n"], ["n", "a"]], [{"a": 1}, {"a": 1}])
    >>> after = Rankings.of([["n", "a"], ["a", "n"]], [{"a": 1}, {"a": 1}])
    >>> [score.value for score in rerank_lost_gold(RerankPair(before, after), k=1)]
    [1.0, 0.0]
    """
    check_same_candidates(pair)
    lost = pair.after.found[:, :k].sum(axis=1) < pair.before.found[:, :k].sum(axis=1)
    return Scores.ratio(lost, pair.before.relevant > 0, undefined="nothing is relevant")
