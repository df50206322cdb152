"""How far the first k can be trusted to have been judged at all."""

from __future__ import annotations

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Judged share",
    unit="fraction of the first k results",
    bounds=(0, 1),
    better="higher",
    source="ir_measures Judged@k",
    levels=("chunk", "document"),
)
def judged(rankings: Rankings, *, k: int) -> Scores:
    """Share of the first k results that were judged, relevant or not; of a shorter list, the share of its results.

    A question whose list is empty scores 0. Shapes: grades [questions, depth] -> values [questions]. Undefined when
    nothing was judged for the question.

    >>> list(judged(Rankings.of([["a", "junk", "unknown"]], [{"a": 1, "junk": 0}]), k=5))
    [Value(value=0.6666666666666666, support=3)]
    """
    known = (rankings.grades[:, :k] >= 0).sum(axis=1)
    shown = np.minimum(rankings.retrieved, k)
    any_judged = rankings.relevant + rankings.judged_nonrelevant > 0
    support = np.where(any_judged, np.where(shown > 0, shown, k), 0)
    return Scores.ratio(known, support, undefined="nothing was judged for the question")
