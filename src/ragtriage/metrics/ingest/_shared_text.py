"""What an extracted text shares with its reference: characters in order, and words as bags."""

from __future__ import annotations

import functools
from collections import Counter

from ragtriage.text.normalise import nfc
from ragtriage.text.tokens import words

__all__ = ["NOT_EXTRACTED", "NO_REFERENCE", "Bag", "bag_of", "common_characters", "spaced"]

NOT_EXTRACTED = "the document was not extracted"
NO_REFERENCE = "the reference is empty"

Bag = Counter[tuple[str, ...]]


def spaced(text: str) -> str:
    r"""Return the text in form NFC, each run of white space as one space and none at the ends.

    >>> spaced(" two\n\n moons ")
    'two moons'
    """
    return " ".join(nfc(text).split())


@functools.lru_cache(maxsize=2)  # three metrics ask about the same two texts
def common_characters(reference: str, extracted: str) -> int:
    """Return the length of the longest common subsequence of characters.

    >>> common_characters("two moons", "two m00ns")
    7
    """
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - loaded where texts are compared, not at start-up

    return int(LCSseq.similarity(reference, extracted))


def bag_of(text: str, *, n: int = 1) -> Bag:
    """Count the runs of `n` words of a text, case and digits folded; a shorter text is one run of all its words.

    >>> sorted(bag_of("Two moons, two moons", n=2).items())
    [(('moons', 'two'), 1), (('two', 'moons'), 2)]
    """
    found = words(text)
    if not found:
        return Counter()
    return Counter(zip(*(found[i:] for i in range(min(n, len(found)))), strict=False))
