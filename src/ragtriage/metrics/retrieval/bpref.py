"""Whether relevant results stand before those that were judged and are not."""

from __future__ import annotations

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Binary preference",
    unit="fraction of the relevant items",
    bounds=(0, 1),
    better="higher",
    source="Buckley and Voorhees 2004; trec_eval bpref",
    levels=("chunk", "document"),
)
def bpref(rankings: Rankings) -> Scores:
    """Mean over all relevant items of 1 - (judged non-relevant results before it, at most R) / min(R, N).

    R items are relevant, N were judged and are not; a relevant item that was not found adds 0. Unjudged results are
    passed over. Shapes: grades [questions, depth] -> values [questions]. Undefined when nothing is relevant.

    >>> list(bpref(Rankings.of([["junk", "unjudged", "a"]], [{"a": 1, "b": 1, "junk": 0, "chaff": 0}])))
    [Value(value=0.25, support=2)]
    """
    relevant = rankings.relevant[:, None]
    junk = (rankings.grades >= 0) & (rankings.grades < rankings.min_grade)
    before = np.minimum(np.add.accumulate(junk, axis=1, dtype=np.int64), relevant)
    most = np.maximum(np.minimum(rankings.judged_nonrelevant[:, None], relevant), 1)
    preferred = np.add.accumulate(np.where(rankings.hits, 1.0 - before / most, 0.0), axis=1)[:, -1]
    return Scores.ratio(preferred, rankings.relevant, undefined="nothing is relevant")
