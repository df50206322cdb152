"""Whether a score can be read as a probability of being relevant."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ScoredView


@metric(
    title="Score calibration error",
    unit="mean absolute difference of score and relevance",
    bounds=(0, 1),
    better="lower",
    source="Naeini, Cooper and Hauskrecht 2015",
    aggregate="set",
)
def score_calibration(views: Sequence[ScoredView], *, bins: int = 10) -> Score:
    """Measure the expected calibration error of the scores against relevance, over the results of all questions.

    Bins are of equal width over [0, 1], the upper border belonging to the bin below; ECE is the sum over bins of their
    share of the results times |share relevant - mean score|. Lists without scores are left out. Undefined when no list
    has scores, or a score lies outside [0, 1]. Raises ValueError for less than one bin.

    >>> score_calibration([ScoredView((True, False), (0.9, 0.9)), ScoredView((False, False), (0.1, 0.1))])
    Value(value=0.25, support=4)
    """
    if bins < 1:
        raise ValueError(f"bins must be 1 or more. Got {bins} instead")
    scored = [view for view in views if view.scores]
    if not scored:
        return Undefined("no list has scores")
    relevant = np.fromiter(chain.from_iterable(view.relevant for view in scored), dtype=np.float64)
    scores = np.fromiter(chain.from_iterable(view.scores or () for view in scored), dtype=np.float64)
    if scores.min() < 0 or scores.max() > 1:
        return Undefined("a score lies outside [0, 1]")
    place = np.clip(np.ceil(scores * bins).astype(np.int64) - 1, 0, bins - 1)
    count = np.bincount(place, minlength=bins)
    used = count > 0
    gap = np.bincount(place, relevant, bins)[used] / count[used] - np.bincount(place, scores, bins)[used] / count[used]
    return Value(float((count[used] * np.abs(gap)).sum()) / len(scores), support=len(scores))
