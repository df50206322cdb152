"""Whether a request was resolved: the right thing done, and what had to be said said."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation.forbidden_claims import forbidden_claims
from ragtriage.metrics.generation.required_facts import required_facts


@metric(
    title="Resolution",
    unit="fraction of requests",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG (guide): support tasks",
    reads_behaviour=True,
)
def resolution(view: AnswerView) -> Score:
    """1 if the answer does what the case demands, states every required fact and makes no forbidden claim, else 0.

    Undefined when the case is no request to be resolved, that is when it does not declare both that it is to be
    answered and facts to state; when no answer was recorded; and when nobody said what the answer does.

    >>> from ragtriage.core.records import Expected, RequiredFact
    >>> wanted = Expected(behaviour="answer", required_facts=(RequiredFact(any_of=("30 days",)),))
    >>> resolution(AnswerView("?", "File it within 30 days.", "answer", answerable=True, expected=wanted))
    Value(value=1.0, support=1)
    """
    if view.expected.behaviour != "answer" or not view.expected.required_facts:
        return Undefined("the case does not declare an answer with facts to state")
    if view.behaviour is None:
        return Undefined("nobody said what the answer does")
    stated = required_facts(view)
    if isinstance(stated, Undefined):
        return stated
    forbidden = forbidden_claims(view)
    clean = not (isinstance(forbidden, Value) and forbidden.value)
    return Value(float(view.behaviour == "answer" and stated.value == 1 and clean), support=1)
