"""Errors of recognised text against what was written, counted as jiwer counts them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._shared_text import NO_REFERENCE, NOT_EXTRACTED

__all__ = ["characters_of", "error_rate", "words_of"]

_FEW = 16
_SPACES = re.compile(r"\s\s+")


def characters_of(text: str) -> str:
    """Return the text without white space at its ends."""
    return text.strip()


def words_of(text: str) -> list[str]:
    r"""Cut a text at spaces after two or more white spaces became one: a line end alone divides no words.

    >>> words_of(" Phobos  and\n\nDeimos\nof Mars ")
    ['Phobos', 'and', 'Deimos\nof', 'Mars']
    """
    stripped = text.strip()
    if stripped.isprintable():  # spaces are all the white space there is: half the time
        return stripped.split()
    folded = _SPACES.sub(" ", stripped)
    return folded.split(" ") if folded else []


def error_rate(reference: Sequence[str], extracted: Sequence[str] | None, *, what: str, one_in: int) -> Score:
    """Return substitutions, deletions and insertions / length of the reference, all counted in `what`.

    `one_in`: a text with an error in so many is expected, and quickly compared; it changes no value.
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - loaded where texts are compared, not at start-up

    if extracted is None:
        return Undefined(NOT_EXTRACTED)
    if not reference:
        return Undefined(f"insertions only: {len(extracted)} {what}" if extracted else NO_REFERENCE)
    # The hint lets a text with few errors be compared along its diagonal alone.
    edits = Levenshtein.distance(reference, extracted, score_hint=max(_FEW, len(reference) // one_in))
    return Value(edits / len(reference), support=len(reference))
