"""Where a wording occurs in a text: on word boundaries, letters and digits folded, numbers and dates as values."""

from __future__ import annotations

from dataclasses import dataclass

from ragtriage.text.amounts import read_amounts
from ragtriage.text.dates import Date
from ragtriage.text.language import guess_language
from ragtriage.text.normalise import fold_text
from ragtriage.text.numbers import Number, compare
from ragtriage.text.spans import Spans
from ragtriage.text.tokens import tokens

__all__ = ["occurrences"]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word, a number or a date of a text at [start, end)."""

    what: str | Number | Date
    start: int
    end: int


def _pieces(text: str, language: str | None) -> list[_Piece]:
    amounts = read_amounts(text, language)
    pieces = [_Piece(n, n.start, n.end) for n in amounts.numbers]
    pieces += [_Piece(d, d.start, d.end) for d in amounts.dates]
    taken = Spans.of(pieces)
    pieces += [
        _Piece(fold_text(t.text, language=language), t.start, t.end)
        for t in tokens(text)
        if not taken.overlap(t.start, t.end)
    ]
    return sorted(pieces, key=lambda p: p.start)


def _same_number(wanted: Number, found: Number) -> bool:
    return (wanted.unit is None or wanted.unit == found.unit) and compare(wanted, found) == "equal"


def _same_date(wanted: Date, found: Date) -> bool:
    return any(
        all(a is None or a == b for a, b in zip(one, other, strict=True))
        for one in wanted.readings
        for other in found.readings
    )


def _same(wanted: _Piece, found: _Piece) -> bool:
    match wanted.what, found.what:
        case Number() as one, Number() as other:
            return _same_number(one, other)
        case Date() as one, Date() as other:
            return _same_date(one, other)
        case str() as one, str() as other:
            return one == other
    return False


def occurrences(text: str, wording: str, *, language: str | None = None) -> list[tuple[int, int]]:
    """Return the spans of a text where a wording stands; none for a wording without a word or number.

    A number of the wording with a unit needs that unit; one without is found with any. The end of a longer number or
    word is no occurrence. `language` decides what `1.250` means; None: each text's own language is guessed.

    >>> occurrences("Комиссия 1% от остатка, 5 000 ₸", "5000 тенге", language="ru")
    [(24, 31)]
    >>> occurrences("The total is 37", "7"), occurrences("result: 8", "-8")
    ([], [])
    """
    known = language or guess_language(text)
    wanted, found = _pieces(wording, known), _pieces(text, known)
    if not wanted:
        return []
    width = len(wanted)
    return [
        (found[i].start, found[i + width - 1].end)
        for i in range(len(found) - width + 1)
        if all(_same(w, f) for w, f in zip(wanted, found[i : i + width], strict=True))
    ]
