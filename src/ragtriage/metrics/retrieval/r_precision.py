"""Precision at the rank where a perfect list would have ended."""

from __future__ import annotations

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="R-precision",
    unit="fraction of the first R",
    bounds=(0, 1),
    better="higher",
    source="trec_eval Rprec",
    levels=("chunk", "document"),
)
def r_precision(rankings: Rankings, *, condensed: bool = False) -> Scores:
    """Share of the first R results that are relevant, R being the number of relevant items.

    Shapes: grades [questions, depth] -> values [questions]. Undefined when nothing is relevant.
    `condensed`: unjudged results are taken out of the list first.

    >>> list(r_precision(Rankings.of([["a", "n", "b"]], [{"a": 1, "b": 1}])))
    [Value(value=0.5, support=2)]
    """
    if condensed:
        rankings = rankings.condensed()
    inside = np.arange(rankings.grades.shape[1]) < rankings.relevant[:, None]
    return Scores.ratio((rankings.hits & inside).sum(axis=1), rankings.relevant, undefined="nothing is relevant")
