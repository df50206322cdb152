"""Whether requests go to a person when the policy demands it, and only then, by the verdict of a model."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import JudgedAnswerView


@metric(
    title="Escalation by a judge",
    unit="fraction of requests that were or had to be handed over",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG (guide): support tasks",
    proxy=True,
    asks=("escalation",),
)
def judged_escalation(view: JudgedAnswerView) -> Score:
    """1 if the request was handed over to a person and had to be, 0 if only one of the two holds.

    For cases that do not declare a behaviour; where they do, `generation.escalation` decides by it. Undefined when no
    model judged by a policy, without an answer, and for a request that was not and had not to be handed over.

    >>> from ragtriage.core.verdicts import EscalationVerdict
    >>> judged_escalation(JudgedAnswerView(escalation=EscalationVerdict(label="missed", handed_over=False)))
    Value(value=0.0, support=1)
    """
    found = view.escalation
    if found is None:
        return Undefined("no model judged by a policy, or there is no answer")
    if found.label == "right" and not found.handed_over:
        return Undefined("the request was not and had not to be handed over")
    return Value(float(found.label == "right"), support=1)
