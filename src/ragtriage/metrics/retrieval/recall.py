"""How much of what is relevant was found in the first k."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Recall",
    unit="fraction of the relevant items",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 4; trec_eval recall_k",
    levels=("evidence", "chunk", "document"),
)
def recall(rankings: Rankings, *, k: int, condensed: bool = False) -> Scores:
    """Share of the relevant items that stand in the first k. Shapes: grades [questions, depth] -> values [questions].

    The denominator is all that is relevant, whatever k is. Undefined when nothing is relevant.
    `condensed`: unjudged results are taken out of the list first.

    >>> needs_two = Rankings.of([["a", "n1", "n2", "n3", "n4", "b"]], [{"a": 1, "b": 1}])
    >>> list(recall(needs_two, k=5))
    [Value(value=0.5, support=2)]
    """
    if condensed:
        rankings = rankings.condensed()
    return Scores.ratio(rankings.found[:, :k].sum(axis=1), rankings.relevant, undefined="nothing is relevant")
