"""What came through although the one who asked may not see it."""

from __future__ import annotations

import math

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ItemsView


@metric(
    title="Access violations",
    unit="violations a question",
    bounds=(0, math.inf),
    better="lower",
    source="Evaluating RAG, part 5",
    critical=True,
)
def access_violations(view: ItemsView) -> Score:
    """How many results, context items, citations and answer quotes the principal may not see, counted at each place.

    Who may see what comes from the corpus, never from the system under test. Undefined when the trace records no place,
    and when nothing forbidden was seen but some results belong to no document of the corpus: nobody can say who may see
    them.

    >>> from ragtriage.core.views import Item
    >>> leaked = Item(id="c1", doc_id="salaries", permitted=False, valid=True, superseded_by_valid=False,
    ...               meets_predicates=True)
    >>> access_violations(ItemsView(results=(leaked,), context=(leaked,), citations=(), quotes=()))
    Value(value=2.0, support=2)
    """
    places = [p for p in (view.results, view.context, view.citations, view.quotes) if p is not None]
    if not places:
        return Undefined("the trace records nothing that came through")
    items = [item for place in places for item in place]
    count = sum(not item.permitted for item in items)
    if count == 0 and view.unresolved:
        return Undefined(f"{view.unresolved} results belong to no document of the corpus")
    return Value(float(count), support=max(1, len(items)))
