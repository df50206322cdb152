"""Citations that lead nowhere."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView


@metric(
    title="Dangling citations",
    unit="fraction of citations",
    bounds=(0, 1),
    better="lower",
    source="ALCE (Gao et al. 2023); Evaluating RAG, part 6",
)
def dangling_citations(view: AnswerView) -> Score:
    """Share of the cited ids that are not in the context that the generator was given.

    Undefined when the trace records no citations and when the answer cites nothing.

    >>> from ragtriage.core.records import Expected
    >>> from ragtriage.core.views import CitedItem
    >>> view = AnswerView("?", "1% [c1][c9]", "answer", answerable=True, expected=Expected(),
    ...     citations=(CitedItem("c1", in_context=True), CitedItem("c9", in_context=False)))
    >>> dangling_citations(view)
    Value(value=0.5, support=2)
    """
    if view.citations is None:
        return Undefined("the trace records no citations")
    if not view.citations:
        return Undefined("the answer cites nothing")
    return Value(sum(not c.in_context for c in view.citations) / len(view.citations), support=len(view.citations))
