"""How much of the first k is relevant."""

from __future__ import annotations

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Precision",
    unit="fraction of the first k",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 4; trec_eval P_k",
    levels=("chunk", "document"),
)
def precision(rankings: Rankings, *, k: int, condensed: bool = False) -> Scores:
    """Share of the first k places that hold a relevant item. Shapes: grades [questions, depth] -> values [questions].

    The denominator is k, not the length of the list: an empty place is no relevant result. Undefined when nothing is
    relevant. `condensed`: unjudged results are taken out of the list first.

    >>> list(precision(Rankings.of([["a", "n"]], [{"a": 1}]), k=4))
    [Value(value=0.25, support=4)]
    """
    if condensed:
        rankings = rankings.condensed()
    hits = rankings.hits[:, :k].sum(axis=1)
    return Scores.ratio(hits, np.where(rankings.relevant > 0, k, 0), undefined="nothing is relevant")
