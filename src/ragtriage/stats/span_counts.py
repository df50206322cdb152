"""Counts of right, labelled and found things by type, over many texts: what entity F1 is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeVar

__all__ = ["Average", "Part", "TypeCounts", "averaged", "count_by_type"]

Average = Literal["micro", "macro", "weighted"]
Part = Literal["f1", "precision", "recall"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TypeCounts:
    """Right, labelled and found things of each type."""

    right: Counter[str]
    gold: Counter[str]
    found: Counter[str]

    @property
    def types(self) -> list[str]:
        """Every type that was labelled or found, sorted."""
        return sorted({*self.gold, *self.found})


def averaged(counts: TypeCounts, *, part: Part, average: Average, only: str | None = None) -> tuple[float, int] | None:
    """Return precision, recall or F1 with its denominator; None over nothing.

    `only`: of one type. `micro`: of all things together; `macro`: the mean over types; `weighted`: the mean over types
    by how often each is labelled. As in seqeval a type that was only labelled or only found has 0 in the means. The
    denominator of a mean is the number of labelled things, or of found ones where none is labelled.

    >>> counts = TypeCounts(Counter(PER=1), Counter(PER=2), Counter(PER=1, LOC=1))
    >>> averaged(counts, part="f1", average="micro"), averaged(counts, part="f1", average="macro")
    ((0.5, 4), (0.3333333333333333, 2))
    """
    types = counts.types if only is None else [only]
    if only is not None or average == "micro":
        return _share(part, *(sum(one[t] for t in types) for one in (counts.right, counts.gold, counts.found)))
    shares = {t: _share(part, counts.right[t], counts.gold[t], counts.found[t]) for t in types}
    values = {t: share[0] if share is not None else 0.0 for t, share in shares.items()}
    total = counts.gold.total() or counts.found.total()
    if average == "macro":
        return (sum(values.values()) / len(types), total) if types else None
    labelled = counts.gold.total()
    return (sum(values[t] * counts.gold[t] for t in types) / labelled, labelled) if labelled else None


def count_by_type(
    gold: Sequence[frozenset[T]], found: Sequence[frozenset[T]], *, type_of: Callable[[T], str]
) -> TypeCounts:
    """Count the things that were labelled and found in texts, the two sides of each text at the same place.

    >>> count_by_type([frozenset({"PER 1"})], [frozenset({"PER 1", "LOC 2"})], type_of=lambda thing: thing[:3]).right
    Counter({'PER': 1})
    """
    right = (a & b for a, b in zip(gold, found, strict=True) if a and b)  # sets meet without hashing a thing again
    return TypeCounts(*(Counter(map(type_of, chain.from_iterable(one))) for one in (right, gold, found)))


def _share(part: Part, right: int, gold: int, found: int) -> tuple[float, int] | None:
    top, bottom = {"f1": (2 * right, gold + found), "precision": (right, found), "recall": (right, gold)}[part]
    return (top / bottom, bottom) if bottom else None
