"""How high the first relevant result stands; its mean is MRR."""

from __future__ import annotations

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Reciprocal rank",
    unit="1 / rank",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 4; trec_eval recip_rank",
    levels=("chunk", "document"),
)
def reciprocal_rank(rankings: Rankings, *, k: int | None = None, condensed: bool = False) -> Scores:
    """1 / rank of the first relevant result, 0 if none stands in the first k (None: in the whole list).

    Shapes: grades [questions, depth] -> values [questions]. Undefined when nothing is relevant.
    `condensed`: unjudged results are taken out of the list first.

    >>> list(reciprocal_rank(Rankings.of([["n", "a"]], [{"a": 1}])))
    [Value(value=0.5, support=1)]
    """
    if condensed:
        rankings = rankings.condensed()
    hits = rankings.hits[:, :k]
    values = np.where(hits.any(axis=1), 1.0 / (hits.argmax(axis=1) + 1), 0.0)
    return Scores.ratio(values, rankings.relevant > 0, undefined="nothing is relevant")
