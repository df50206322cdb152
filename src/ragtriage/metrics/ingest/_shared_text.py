"""What an extracted text shares with its reference, and why there may be nothing to compare."""

from __future__ import annotations

import functools

from ragtriage.text.normalise import nfc

__all__ = ["NOT_EXTRACTED", "NO_REFERENCE", "NO_TITLE", "TITLE_NOT_EXTRACTED", "common_characters", "spaced"]

_FEW = 16
NOT_EXTRACTED = "the document was not extracted"
NO_REFERENCE = "the reference is empty"
NO_TITLE = "the reference has no title"
TITLE_NOT_EXTRACTED = "no title could be extracted: no such document, or its form has none"


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

    longest = min(len(reference), len(extracted))
    lost = max(_FEW, longest // _FEW)
    while lost < longest:  # a text that lost little is compared along its diagonal alone; below the cut-off comes 0
        found = int(LCSseq.similarity(reference, extracted, score_cutoff=longest - lost))
        if found:
            return found
        lost *= 4
    return int(LCSseq.similarity(reference, extracted))
