"""How well the whole list is ordered; its mean is MAP."""

from __future__ import annotations

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Average precision",
    unit="mean precision at the relevant ranks",
    bounds=(0, 1),
    better="higher",
    source="Manning, Raghavan and Schütze 2008, chapter 8; trec_eval map, map_cut_k",
    levels=("chunk", "document"),
)
def average_precision(rankings: Rankings, *, k: int | None = None, condensed: bool = False) -> Scores:
    """Sum of the precision at each relevant rank of the first k (None: of the whole list) / all relevant items.

    Divided by all that is relevant, not by what was retrieved. Shapes: grades [questions, depth] -> values
    [questions]. Undefined when nothing is relevant. `condensed`: unjudged results are taken out of the list first.

    >>> list(average_precision(Rankings.of([["a", "n", "b"]], [{"a": 1, "b": 1, "c": 1, "d": 1}])))
    [Value(value=0.41666666666666663, support=4)]
    """
    if condensed:
        rankings = rankings.condensed()
    hits = rankings.hits[:, :k]
    ranks = np.arange(1, hits.shape[1] + 1)
    precisions = np.where(hits, np.add.accumulate(hits, axis=1, dtype=np.int64) / ranks, 0.0)
    total = np.add.accumulate(precisions, axis=1)[:, -1]
    return Scores.ratio(total, rankings.relevant, undefined="nothing is relevant")
