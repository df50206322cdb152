"""Whether headings kept their place in the outline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import Heading, HeadingsView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._shared_text import spaced


@metric(
    title="Heading order",
    unit="headings with the right level and parent / headings of the reference",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 2",
    aggregate="micro",
)
def heading_order(view: HeadingsView) -> Score:
    """Count the headings that were extracted with their text, level and parent, as a share of the reference's.

    White space is folded; a heading that stands twice has to be found twice, one that is missing is wrong. Undefined
    where no heading could be extracted and where the reference has none.

    >>> fees, card = Heading(1, "Fees"), Heading(2, "Cards", parent="Fees")
    >>> heading_order(HeadingsView((fees, card), (fees, Heading(2, "Cards"))))
    Value(value=0.5, support=2)
    """
    if not view.reference:
        return Undefined("the reference has no heading")
    if view.extracted is None:
        return Undefined("no heading could be extracted: no such document, or its form has none")
    right = (_counted(view.reference) & _counted(view.extracted)).total()
    return Value(right / len(view.reference), support=len(view.reference))


def _counted(headings: Iterable[Heading]) -> Counter[tuple[int, str, str | None]]:
    return Counter((h.level, spaced(h.text), None if h.parent is None else spaced(h.parent)) for h in headings)
