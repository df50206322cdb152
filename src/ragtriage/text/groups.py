"""Groups of things that are linked in pairs, directly or by way of others."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

__all__ = ["linked"]

T = TypeVar("T", bound=Hashable)


def linked(pairs: Iterable[tuple[T, T]]) -> list[list[T]]:
    """Return the groups that pairs make, and in each its members, in the order in which they came.

    >>> linked([("a", "b"), ("c", "d"), ("e", "b")])
    [['a', 'b', 'e'], ['c', 'd']]
    """
    leader: dict[T, T] = {}

    def first(one: T) -> T:
        leader.setdefault(one, one)
        while leader[one] != one:
            leader[one] = one = leader[leader[one]]
        return one

    for one, other in pairs:
        ours, theirs = first(one), first(other)
        leader[theirs] = ours
    found: dict[T, list[T]] = {}
    for one in leader:
        found.setdefault(first(one), []).append(one)
    return list(found.values())
