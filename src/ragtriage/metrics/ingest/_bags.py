"""How two bags of words overlap."""

from __future__ import annotations

from collections import Counter

from ragtriage.text.tokens import words

__all__ = ["Bag", "bag_of"]

Bag = Counter[tuple[str, ...]]


def bag_of(text: str, *, n: int = 1) -> Bag:
    """Count the runs of `n` words of a text, case and digits folded; a shorter text is one run of all its words.

    >>> sorted(bag_of("Two moons, two moons", n=2).items())
    [(('moons', 'two'), 1), (('two', 'moons'), 2)]
    """
    found = words(text)
    if not found:
        return Counter()
    return Counter(zip(*(found[i:] for i in range(min(n, len(found)))), strict=False))
