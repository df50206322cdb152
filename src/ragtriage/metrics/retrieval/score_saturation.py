"""Whether the scores tell the best results apart at all."""

from __future__ import annotations

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Score saturation",
    unit="fraction of the results",
    bounds=(0, 1),
    better="lower",
    source="ours",
    levels=("chunk", "document"),
)
def score_saturation(rankings: Rankings) -> Scores:
    """Share of a list's results that share the highest score with another result; 0 when the top one stands alone.

    Shapes: scores [questions, depth] -> values [questions]. Undefined when fewer than two results came or any of them
    has no score.

    >>> tied = Rankings.of([["a", "b", "c", "d"]], [{"a": 1}], scores=[[1.0, 1.0, 0.5, 0.2]])
    >>> list(score_saturation(tied))
    [Value(value=0.5, support=4)]
    """
    why = "fewer than two results with a score"
    if rankings.scores is None:
        return Scores.ratio(np.zeros(len(rankings)), np.zeros(len(rankings)), undefined=why)
    listed = rankings.grades != -1
    known = listed & ~np.isnan(rankings.scores)
    scores = np.where(known, rankings.scores, -np.inf)
    top = (known & (scores == scores.max(axis=1, keepdims=True))).sum(axis=1)
    complete = (known == listed).all(axis=1) & (rankings.retrieved > 1)
    return Scores.ratio(np.where(top > 1, top, 0), np.where(complete, rankings.retrieved, 0), undefined=why)
