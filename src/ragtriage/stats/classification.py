"""Precision, recall and F1 of each class from pairs of the label that is right and the label that was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["ClassScore", "class_scores"]


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Counts of one class: `right` both labelled and given so, `labelled` and `given` in all.

    `precision` and `recall` are None where nothing was given or nothing labelled: they have no value there.
    """

    right: int
    labelled: int
    given: int

    @property
    def precision(self) -> float | None:
        """Share of what was given this class that has it."""
        return self.right / self.given if self.given else None

    @property
    def recall(self) -> float | None:
        """Share of what has this class that was given it."""
        return self.right / self.labelled if self.labelled else None

    @property
    def f1(self) -> float:
        """Harmonic mean of both; a class that was only labelled or only given has 0."""
        return 2 * self.right / (self.labelled + self.given)


def class_scores(pairs: Iterable[tuple[str, str]]) -> dict[str, ClassScore]:
    """Count each class over pairs (label that is right, label that was given), classes in sorted order.

    >>> class_scores([("fee", "fee"), ("fee", "card")])["fee"].f1
    0.6666666666666666
    """
    labelled, given, right = Counter[str](), Counter[str](), Counter[str]()
    for (a, b), count in Counter(pairs).items():  # few distinct pairs, however many there are
        labelled[a] += count
        given[b] += count
        right[a] += count if a == b else 0
    return {name: ClassScore(right[name], labelled[name], given[name]) for name in sorted({*labelled, *given})}
