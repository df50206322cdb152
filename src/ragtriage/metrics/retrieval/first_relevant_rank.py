"""Where the first relevant result stands."""

from __future__ import annotations

import math

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Rank of the first relevant result",
    unit="rank",
    bounds=(1, math.inf),
    better="lower",
    source="Measuring RAG, lesson 7",
    aggregate="median",
    levels=("chunk", "document"),
)
def first_relevant_rank(rankings: Rankings) -> Scores:
    """Rank of the first relevant result. Shapes: grades [questions, depth] -> values [questions].

    Undefined when no relevant result was found.

    >>> list(first_relevant_rank(Rankings.of([["n", "a"], ["n"]], [{"a": 1}, {"a": 1}])))
    [Value(value=2.0, support=1), Undefined(reason='no relevant result was found')]
    """
    hits = rankings.hits
    return Scores.ratio(hits.argmax(axis=1) + 1, hits.any(axis=1), undefined="no relevant result was found")
