"""Whether anything relevant was found in the first k."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Hit rate",
    unit="fraction of questions",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 4; trec_eval success_k",
    levels=("evidence", "chunk", "document"),
)
def hit_rate(rankings: Rankings, *, k: int, condensed: bool = False) -> Scores:
    """1 if anything relevant stands in the first k, else 0. Shapes: grades [questions, depth] -> values [questions].

    Undefined when nothing is relevant. `condensed`: unjudged results are taken out of the list first.

    >>> list(hit_rate(Rankings.of([["n", "a"], ["n"], ["n"]], [{"a": 1}, {"a": 1}, {}]), k=2))
    [Value(value=1.0, support=1), Value(value=0.0, support=1), Undefined(reason='nothing is relevant')]
    """
    if condensed:
        rankings = rankings.condensed()
    return Scores.ratio(rankings.hits[:, :k].any(axis=1), rankings.relevant > 0, undefined="nothing is relevant")
