"""Whether the system refuses only where there is no answer."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView


@metric(
    title="Abstention precision",
    unit="fraction of abstentions",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 6; NoMIRACL (Thakur et al. 2024)",
    aggregate="set",
    reads_behaviour=True,
)
def abstention_precision(views: Sequence[AnswerView]) -> Score:
    """Abstentions on questions without an answer / abstentions.

    Cases whose behaviour nobody recorded or judged are left out. Undefined when no case abstained.

    >>> from ragtriage.core.records import Expected
    >>> def asked(answerable, behaviour):
    ...     return AnswerView("?", "", behaviour, answerable=answerable, expected=Expected())
    >>> abstention_precision([asked(False, "abstain"), asked(True, "abstain"), asked(True, "answer")])
    Value(value=0.5, support=2)
    """
    refused = [view for view in views if view.behaviour == "abstain"]
    if not refused:
        return Undefined("no answer abstains")
    return Value(sum(not view.answerable for view in refused) / len(refused), support=len(refused))
