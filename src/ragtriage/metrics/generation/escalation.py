"""Whether the system hands over to people when it has to, and only then."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView


@metric(
    title="Escalation",
    unit="fraction of cases that were or had to be escalated",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG (guide): support tasks",
    reads_behaviour=True,
)
def escalation(view: AnswerView) -> Score:
    """1 if the answer escalates where the case demands it, 0 if it does only one of the two.

    Undefined when the case declares no behaviour, when nobody said what the answer does, and when the case neither
    demands an escalation nor got one.

    >>> from ragtriage.core.records import Expected
    >>> escalation(AnswerView("?", "", "answer", answerable=True, expected=Expected(behaviour="escalate")))
    Value(value=0.0, support=1)
    """
    wanted = view.expected.behaviour
    if wanted is None:
        return Undefined("the case declares no behaviour")
    if view.behaviour is None:
        return Undefined("nobody said what the answer does")
    if "escalate" not in {wanted, view.behaviour}:
        return Undefined("the case was not and had not to be escalated")
    return Value(float(wanted == view.behaviour), support=1)
