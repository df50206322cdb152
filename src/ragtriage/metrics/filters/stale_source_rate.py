"""What came through although a newer or older version of it was the one in force."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ItemsView


@metric(
    title="Stale source rate",
    unit="fraction of results and citations",
    bounds=(0, 1),
    better="lower",
    source="Evaluating RAG, part 5",
)
def stale_source_rate(view: ItemsView) -> Score:
    """Results and citations not in force at the case's date while another version is / all results and citations.

    Not in force: superseded, expired, or not yet valid. Undefined when the trace records neither, or neither holds a
    document of the corpus.

    >>> from ragtriage.core.views import Item
    >>> old = Item(id="c1", doc_id="fees-2025", permitted=True, valid=False, superseded_by_valid=True,
    ...            meets_predicates=True)
    >>> new = Item(id="c2", doc_id="fees-2026", permitted=True, valid=True, superseded_by_valid=False,
    ...            meets_predicates=True)
    >>> stale_source_rate(ItemsView(results=(old, new), context=None, citations=None, quotes=None))
    Value(value=0.5, support=2)
    """
    if view.results is None and view.citations is None:
        return Undefined("the trace records no results and no citations")
    items = [*(view.results or ()), *(view.citations or ())]
    if not items:
        return Undefined("no result and no citation")
    return Value(sum(item.superseded_by_valid for item in items) / len(items), support=len(items))
