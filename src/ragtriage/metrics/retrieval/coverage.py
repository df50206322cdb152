"""Which golden documents no question ever finds: holes in the index."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import CoverageView


@metric(
    title="Coverage",
    unit="fraction of the golden documents",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 4",
    aggregate="set",
)
def coverage(views: Sequence[CoverageView]) -> Score:
    """Share of all golden documents that any question retrieved, at any rank, whichever question needs them.

    Undefined when no case has a golden document.

    >>> coverage([CoverageView(frozenset("ab"), frozenset("a")), CoverageView(frozenset("c"), frozenset("bx"))])
    Value(value=0.6666666666666666, support=3)
    """
    golden = frozenset[str]().union(*(view.golden for view in views))
    if not golden:
        return Undefined("no golden document")
    retrieved = frozenset[str]().union(*(view.retrieved for view in views))
    return Value(len(golden & retrieved) / len(golden), support=len(golden))
