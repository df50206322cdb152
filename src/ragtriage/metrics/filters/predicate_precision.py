"""How many of the predicates that a system reads off a question are right."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import PredicatesView
from ragtriage.metrics.filters._matching import extracted_from_question, said


@metric(
    title="Predicate precision",
    unit="fraction of extracted predicates",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 5",
    aggregate="micro",
)
def predicate_precision(view: PredicatesView, *, field: str = "") -> Score:
    """Share of the extracted predicates that are gold; `field` takes those on one field alone.

    Two predicates are the same when field, operator and value are; a repeated one counts once; those that a rule adds
    (policy, principal, date of asking) are not extracted from the question. Undefined when the case has no gold
    predicates, the trace records none, or nothing was extracted.

    >>> from ragtriage.core.records import Predicate
    >>> german, card = Predicate(field="locale", value="de-DE"), Predicate(field="product", value="card")
    >>> predicate_precision(PredicatesView(extracted=(german, card), gold=(card,)))
    Value(value=0.5, support=2)
    """
    if view.gold is None:
        return Undefined("the case has no gold predicates")
    if view.extracted is None:
        return Undefined("the trace records no predicates")
    gold = {said(predicate) for predicate in view.gold}
    found = {said(predicate) for predicate in extracted_from_question(view.extracted, view.gold)}
    found = {predicate for predicate in found if field in {"", predicate[0]}}
    if not found:
        return Undefined("no predicate was extracted")
    return Value(len(found & gold) / len(found), support=len(found))
