"""Whether relevant chunks stand above the others, as Ragas counts it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Context precision",
    unit="mean precision at the relevant ranks",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG, lesson 7; Ragas context precision",
    levels=("chunk", "document"),
)
def context_precision(
    rankings: Rankings, *, k: int | None = None, normalise: Literal["found", "all"] = "found"
) -> Scores:
    """Mean of the precision at each relevant rank of the first k (None: of the whole list).

    The mean is over the relevant results found there, so it says nothing of those that are missing; with
    `normalise=all` over all relevant items. 0 when results came and none is relevant. Shapes: grades [questions, depth]
    -> values [questions]. Undefined when nothing was retrieved, or nothing was judged to hold it against.

    >>> gold = {"a": 1, "b": 1}
    >>> scores = context_precision(Rankings.of([["a", "junk", "b"], ["junk", "a", "b"]], [gold, gold]))
    >>> [round(score.value, 2) for score in scores]
    [0.83, 0.58]
    """
    hits = rankings.hits[:, :k]
    precisions = np.where(hits, np.add.accumulate(hits, axis=1, dtype=np.int64) / np.arange(1, hits.shape[1] + 1), 0.0)
    total = np.add.accumulate(precisions, axis=1)[:, -1]
    known = rankings.relevant + rankings.judged_nonrelevant > 0
    over = rankings.relevant if normalise == "all" else np.maximum(hits.sum(axis=1), 1)
    support = np.where((rankings.retrieved > 0) & known, over, 0)
    return Scores.ratio(total, support, undefined="nothing was retrieved, or nothing judged for the question")
