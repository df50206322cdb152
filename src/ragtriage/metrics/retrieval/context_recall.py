"""How much of what is needed was found at all, by its ids."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings


@metric(
    title="Context recall by id",
    unit="fraction of the needed ids",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG, lesson 7; Ragas id-based context recall",
    levels=("evidence", "chunk", "document"),
)
def context_recall(rankings: Rankings) -> Scores:
    """Share of the needed items that stand anywhere in the list. Shapes: grades [questions, depth] -> [questions].

    Undefined when nothing is needed.

    >>> needed = {"doc_1": 1, "doc_4": 1, "doc_5": 1, "doc_6": 1}
    >>> list(context_recall(Rankings.of([["doc_1", "doc_2", "doc_3"]], [needed])))
    [Value(value=0.25, support=4)]
    """
    return Scores.ratio(rankings.found.sum(axis=1), rankings.relevant, undefined="nothing is needed")
