"""What merging near-duplicates does: a document that is taken for one of a group joins all of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragtriage.core.duplicate_views import DuplicatesView, Pair
from ragtriage.text.groups import linked

__all__ = ["Merged", "detected", "merged"]


@dataclass(frozen=True, slots=True)
class Merged:
    """Counts of labelled pairs that end up in one group: `right` are duplicates, `wrong` are not."""

    right: int
    wrong: int


def detected(view: DuplicatesView) -> frozenset[Pair]:
    """Return the pairs that were found and have a label."""
    return view.found if view.different is None else view.found & (view.duplicates | view.different)


def merged(view: DuplicatesView) -> Merged:
    """Count the labelled pairs that are merged, themselves or by way of other documents."""
    groups = linked(sorted(view.found))
    group_of = {document: number for number, group in enumerate(groups) for document in group}

    def together(pairs: Iterable[Pair]) -> int:
        return sum(a in group_of and group_of[a] == group_of.get(b) for a, b in pairs)

    right = together(view.duplicates)
    if view.different is not None:
        return Merged(right, together(view.different))
    return Merged(right, sum(len(group) * (len(group) - 1) // 2 for group in groups) - right)
