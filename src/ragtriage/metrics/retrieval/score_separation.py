"""How far one threshold on the scores can tell relevant results from the others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ScoredView


@metric(
    title="Score separation",
    unit="area under the ROC curve",
    bounds=(0, 1),
    better="higher",
    source="Hanley and McNeil 1982",
    aggregate="set",
)
def score_separation(views: Sequence[ScoredView]) -> Score:
    """Chance that a relevant result scores above an irrelevant one, over the results of all questions; ties count half.

    All questions are pooled, because a threshold is one for all of them; unjudged results count as irrelevant. Lists
    without scores are left out. Undefined when no list has scores, or its results are all relevant or all irrelevant.

    >>> score_separation([ScoredView((True, False), (0.9, 0.4)), ScoredView((True, False), (0.4, 0.1))])
    Value(value=0.875, support=4)
    """
    scored = [view for view in views if view.scores]
    if not scored:
        return Undefined("no list has scores")
    relevant = np.fromiter(chain.from_iterable(view.relevant for view in scored), dtype=bool)
    scores = np.fromiter(chain.from_iterable(view.scores or () for view in scored), dtype=np.float64)
    right, wrong = int(relevant.sum()), int((~relevant).sum())
    if not right or not wrong:
        return Undefined("the results with scores are all relevant or all irrelevant")
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    middle = last - (count - 1) / 2  # ranks from 1, the mean of tied ones
    above = float(middle[place][relevant].sum()) - right * (right + 1) / 2
    return Value(above / (right * wrong), support=len(scores))
