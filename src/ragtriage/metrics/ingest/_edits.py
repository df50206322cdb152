"""Errors of recognised text against what was written, counted as jiwer counts them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._shared_text import NO_REFERENCE, NOT_EXTRACTED

__all__ = ["characters_of", "error_rate", "words_of"]

_SPACES = re.compile(r"\s\s+")


def characters_of(text: str) -> str:
    """Return the text without white space at its ends."""
    return text.strip()


def words_of(text: str) -> list[str]:
    r"""Cut a text at spaces after two or more white spaces became one: a line end alone divides no words.

    >>> words_of(" Phobos  and\n\nDeimos\nof Mars ")
    ['Phobos', 'and', 'Deimos\nof', 'Mars']
    """
    return [word for word in _SPACES.sub(" ", text).strip().split(" ") if word]


def error_rate(reference: Sequence[str], extracted: Sequence[str] | None, *, what: str) -> Score:
    """Return substitutions, deletions and insertions / length of the reference, all counted in `what`."""
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - loaded where texts are compared, not at start-up

    if extracted is None:
        return Undefined(NOT_EXTRACTED)
    if not reference:
        return Undefined(f"insertions only: {len(extracted)} {what}" if extracted else NO_REFERENCE)
    return Value(Levenshtein.distance(reference, extracted) / len(reference), support=len(reference))
