"""Whether the system refuses wherever there is no answer."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView


@metric(
    title="Abstention recall",
    unit="fraction of questions without an answer",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 6; NoMIRACL (Thakur et al. 2024)",
    aggregate="set",
    reads_behaviour=True,
)
def abstention_recall(views: Sequence[AnswerView]) -> Score:
    """Abstentions on questions without an answer / questions without an answer.

    Cases whose behaviour nobody recorded or judged are left out. Undefined when no such question is left.

    >>> from ragtriage.core.records import Expected
    >>> def asked(answerable, behaviour):
    ...     return AnswerView("?", "", behaviour, answerable=answerable, expected=Expected())
    >>> abstention_recall([asked(False, "abstain"), asked(False, "answer"), asked(True, "abstain")])
    Value(value=0.5, support=2)
    """
    unanswerable = [view for view in views if not view.answerable and view.behaviour is not None]
    if not unanswerable:
        return Undefined("no question without an answer whose behaviour is known")
    refused = sum(view.behaviour == "abstain" for view in unanswerable)
    return Value(refused / len(unanswerable), support=len(unanswerable))
