"""How many of the right predicates a system reads off a question."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import PredicatesView
from ragtriage.metrics.filters._matching import said


@metric(
    title="Predicate recall",
    unit="fraction of gold predicates",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 5",
    aggregate="micro",
)
def predicate_recall(view: PredicatesView, *, field: str = "") -> Score:
    """Share of the gold predicates that were extracted; `field` takes those on one field alone.

    Two predicates are the same when field, operator and value are. Undefined when the case has no gold predicates or
    the trace records none.

    >>> from ragtriage.core.records import Predicate
    >>> german, card = Predicate(field="locale", value="de-DE"), Predicate(field="product", value="card")
    >>> predicate_recall(PredicatesView(extracted=(card,), gold=(german, card)))
    Value(value=0.5, support=2)
    """
    wanted = {predicate for predicate in map(said, view.gold or ()) if field in {"", predicate[0]}}
    if not wanted:
        return Undefined("the case has no gold predicates")
    if view.extracted is None:
        return Undefined("the trace records no predicates")
    found = {said(predicate) for predicate in view.extracted}
    return Value(len(found & wanted) / len(wanted), support=len(wanted))
