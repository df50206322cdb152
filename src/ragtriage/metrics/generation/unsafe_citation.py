"""Citations to documents that nobody should rest on."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView


@metric(
    title="Unsafe citation",
    unit="fraction of citations",
    bounds=(0, 1),
    better="lower",
    source="Measuring RAG (guide): unsafe citation",
)
def unsafe_citation(view: AnswerView) -> Score:
    """Share of the citations whose document is marked untrusted, forbidden to the principal, or superseded.

    Citations of which the corpus knows nothing are left out. Undefined when the trace records no citations, when the
    answer cites nothing, and when the corpus knows none of the cited documents.

    >>> from ragtriage.core.records import Expected
    >>> from ragtriage.core.views import CitedItem
    >>> view = AnswerView("?", "1% [c1]", "answer", answerable=True, expected=Expected(),
    ...     citations=(CitedItem("c1", in_context=True, trusted=False, permitted=True, superseded=False),))
    >>> unsafe_citation(view)
    Value(value=1.0, support=1)
    """
    if view.citations is None:
        return Undefined("the trace records no citations")
    if not view.citations:
        return Undefined("the answer cites nothing")
    known = [c for c in view.citations if (c.trusted, c.permitted, c.superseded) != (None, None, None)]
    if not known:
        return Undefined("the corpus knows none of the cited documents")
    unsafe = sum(c.trusted is False or c.permitted is False or c.superseded is True for c in known)
    return Value(unsafe / len(known), support=len(known))
