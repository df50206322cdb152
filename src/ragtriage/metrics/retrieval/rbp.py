"""What a reader gains who goes on to the next result with a fixed probability."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Rank-biased precision",
    unit="expected gain per result read",
    bounds=(0, 1),
    better="higher",
    source="Moffat and Zobel 2008; trec_eval rbp",
    levels=("chunk", "document"),
)
def rbp(
    rankings: Rankings, *, p: float = 0.8, gain: Literal["binary", "graded"] = "binary", condensed: bool = False
) -> Scores:
    """(1 - p) times the sum of p^(rank - 1) over the relevant results; p is the probability of reading on.

    `gain=graded`: every result counts by its grade / the highest judged grade of the question, as trec_eval does (with
    p = 0.9). Shapes: grades [questions, depth] -> values [questions]. Undefined when nothing is relevant. Raises
    ValueError for a p that is not above 0 and below 1. `condensed`: unjudged results are taken out of the list first.

    >>> list(rbp(Rankings.of([["a", "n", "b"]], [{"a": 1, "b": 1}]), p=0.5))
    [Value(value=0.625, support=1)]
    """
    if condensed:
        rankings = rankings.condensed()
    if not 0 < p < 1:
        raise ValueError(f"p must be above 0 and below 1. Got {p} instead")
    weights = (1.0 - p) * np.power(p, np.arange(rankings.grades.shape[1]))
    if gain == "graded":
        gains = np.maximum(rankings.grades, 0) / np.maximum(rankings.ideal[:, :1], 1)
    else:
        gains = rankings.hits.astype(np.float64)
    gained = np.add.accumulate(gains * weights, axis=1)[:, -1]
    return Scores.ratio(gained, rankings.relevant > 0, undefined="nothing is relevant")
