"""Whether the items of a list stayed together."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import ListsView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._shared_text import spaced


@metric(
    title="List integrity",
    unit="lists kept whole / lists of the reference",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 2",
    aggregate="micro",
)
def list_integrity(view: ListsView) -> Score:
    """Count the lists whose items stand together, in order and in one extracted list, as a share of the reference's.

    White space is folded; lists without an item do not count. Undefined where no list could be extracted and where the
    reference has none.

    >>> list_integrity(ListsView((("one", "two"), ("a", "b")), (("one", "two"), ("b", "a"))))
    Value(value=0.5, support=2)
    """
    wanted = sorted((_items(items) for items in view.reference if items), key=len, reverse=True)
    if not wanted:
        return Undefined("the reference has no list")
    if view.extracted is None:
        return Undefined("no list could be extracted: no such document, or its form has none")
    given: list[list[str | None]] = [[*_items(items)] for items in view.extracted]
    whole = sum(_take(items, given) for items in wanted)  # the longest first: a short one may stand inside a long one
    return Value(whole / len(wanted), support=len(wanted))


def _items(items: Sequence[str]) -> list[str]:
    return [spaced(item) for item in items]


def _take(items: list[str], given: list[list[str | None]]) -> bool:
    """Find a run of items in one of the lists and strike it out there."""
    for found in given:
        for at in range(len(found) - len(items) + 1):
            if found[at : at + len(items)] == items:
                found[at : at + len(items)] = [None] * len(items)
                return True
    return False
