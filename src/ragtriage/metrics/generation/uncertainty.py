"""Whether the answer says what its sources leave uncertain."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import JudgedAnswerView


@metric(
    title="Uncertainty said",
    unit="fraction of cases whose sources leave something uncertain",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG (guide): conflicting and incomplete sources",
    proxy=True,
    asks=("uncertainty",),
)
def uncertainty(view: JudgedAnswerView) -> Score:
    """1 if the answer says that its sources disagree, or which part they are silent on, as the case declares; else 0.

    A case declares it by `expected.uncertainty`. Undefined when it declares none, when there is no answer, and when no
    judge ran.

    >>> from ragtriage.core.verdicts import UncertaintyVerdict
    >>> uncertainty(JudgedAnswerView(uncertain=True, uncertainty=UncertaintyVerdict(label="stated")))
    Value(value=1.0, support=1)
    """
    if not view.uncertain:
        return Undefined("the case declares no uncertainty")
    if view.uncertainty is None:
        return Undefined("no judge ran, or there is no answer")
    return Value(float(view.uncertainty.label == "stated"), support=1)
