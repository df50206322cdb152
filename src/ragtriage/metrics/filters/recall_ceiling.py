"""The recall that no ranking can beat, because wrong predicates removed what it would have ranked."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import PredicatesView
from ragtriage.metrics.filters._matching import extracted_from_question, said


@metric(
    title="Recall ceiling of the predicates",
    unit="fraction of questions",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 5",
)
def recall_ceiling(view: PredicatesView) -> Score:
    """0 if a wrong predicate was applied hard, else 1; the mean is 1 - share of cases with a wrong hard predicate.

    Wrong is what is not gold, and what gold marks as soft: applied hard it removes documents that it may only lower.
    Undefined when the case has no gold predicates, the trace records none, or it does not tell the mode of a wrong one.

    >>> from ragtriage.core.records import Predicate
    >>> forced = Predicate(field="locale", value="en-US", mode="hard")
    >>> recall_ceiling(PredicatesView(extracted=(forced,), gold=()))
    Value(value=0.0, support=1)
    """
    if view.gold is None:
        return Undefined("the case has no gold predicates")
    if view.extracted is None:
        return Undefined("the trace records no predicates")
    right = {said(predicate) for predicate in view.gold if predicate.mode != "soft"}
    wrong = [p for p in extracted_from_question(view.extracted, view.gold) if said(p) not in right]
    if any(predicate.mode == "hard" for predicate in wrong):
        return Value(0.0, support=1)
    if any(predicate.mode == "unknown" for predicate in wrong):
        return Undefined("the trace does not tell whether a wrong predicate is hard or soft")
    return Value(1.0, support=1)
