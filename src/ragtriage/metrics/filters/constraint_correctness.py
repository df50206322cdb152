"""How many results were allowed to be results."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ItemsView


@metric(
    title="Constraint correctness",
    unit="fraction of results",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 5",
)
def constraint_correctness(view: ItemsView) -> Score:
    """Results that satisfy tenant, ACL, validity and the required predicates, all of them / results.

    Relevant but not permitted is an error, not a hit. Required are the gold predicates that are not marked soft.
    Undefined when the trace records no results, or none belongs to a document of the corpus.

    >>> from ragtriage.core.views import Item
    >>> wrong = Item(id="c1", doc_id="d1", permitted=True, valid=True, superseded_by_valid=False,
    ...              meets_predicates=False)
    >>> constraint_correctness(ItemsView(results=(wrong,), context=None, citations=None, quotes=None))
    Value(value=0.0, support=1)
    """
    if view.results is None:
        return Undefined("the trace records no results")
    if not view.results:
        return Undefined("no result")
    right = sum(item.permitted and item.valid and item.meets_predicates for item in view.results)
    return Value(right / len(view.results), support=len(view.results))
