"""How far two texts repeat each other: shingles, longest common subsequence, longest copied run."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher

from ragtriage.text.tokens import words

__all__ = ["THRESHOLD", "jaccard", "longest_common_subsequence", "longest_run", "near_duplicates", "shingles"]

_SHINGLE = 5
THRESHOLD = 0.8
"""The Jaccard similarity from which two texts are near-duplicates, where nothing else is said."""


@functools.lru_cache(maxsize=512)
def shingles(text: str, *, size: int = _SHINGLE) -> frozenset[tuple[str, ...]]:
    """Return the runs of `size` words of a text, folded; a shorter text is one shingle of all its words.

    >>> sorted(shingles("a b c d", size=3))
    [('a', 'b', 'c'), ('b', 'c', 'd')]
    """
    found = words(text)
    if len(found) < size:
        return frozenset({tuple(found)} if found else ())
    return frozenset(zip(*(found[i:] for i in range(size)), strict=False))


def jaccard(first: frozenset[Hashable], second: frozenset[Hashable]) -> float:
    """Return shared / all; two empty sets are equal: 1.

    >>> jaccard(frozenset({1, 2}), frozenset({2, 3})) == 1 / 3
    True
    """
    shared = len(first & second)
    union = len(first) + len(second) - shared
    return shared / union if union else 1.0


def near_duplicates(texts: Sequence[str], *, threshold: float = THRESHOLD, size: int = 3) -> list[int | None]:
    """Say for each text which earlier one it nearly repeats (Jaccard of word shingles >= `threshold`), or None.

    Texts without a word repeat nothing.

    >>> near_duplicates(["one two three four", "ONE two three, four!", "five"])
    [None, 0, None]
    """
    seen = [shingles(text, size=size) for text in texts]
    found: list[int | None] = []
    for i, own in enumerate(seen):
        found.append(next((j for j in range(i) if own and seen[j] and jaccard(own, seen[j]) >= threshold), None))
    return found


def longest_common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of two lists of words.

    >>> longest_common_subsequence(["a", "b", "c"], ["a", "x", "c"])
    2
    """
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - loaded where texts are compared, not at start-up

    return int(LCSseq.similarity(first, second))


def longest_run(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest run of words that stands in both.

    >>> longest_run(["a", "b", "c", "d"], ["x", "b", "c", "y"])
    2
    """
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.find_longest_match().size
