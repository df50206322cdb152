"""Unicode forms of text, with a way back: a span of the folded text names the span of the original it came from."""

from __future__ import annotations

import functools
import unicodedata
from dataclasses import dataclass

import regex

__all__ = ["Folded", "fold", "fold_digits", "fold_text", "nfc"]

_CLUSTER = regex.compile(r"\X")
_FOREIGN_DIGIT = regex.compile(r"[^\P{Nd}0-9]")
_INVISIBLE = regex.compile(r"[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
_WORD_LENGTH = 40
_TURKIC = frozenset({"tr", "az"})
_DOTLESS = str.maketrans({"I": "ı", "İ": "i"})


def nfc(text: str) -> str:
    r"""Return the text in Unicode form NFC.

    >>> nfc("e\u0301") == "é"
    True
    """
    return unicodedata.normalize("NFC", text)


def _digit(match: regex.Match[str]) -> str:
    value = unicodedata.decimal(match[0], None)
    return match[0] if value is None else str(value)


def fold_digits(text: str) -> str:
    """Write the decimal digits of every script as 0-9; the length stays the same. Superscripts are no digits.

    >>> fold_digits("٣٤ and x²")
    '34 and x²'
    """
    return text if text.isascii() else _FOREIGN_DIGIT.sub(_digit, text)


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and, for each of its code points, the span of the original that it came from.

    `starts` and `ends` are None where both texts have the same offsets.
    """

    text: str
    starts: tuple[int, ...] | None = None
    ends: tuple[int, ...] | None = None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original behind [start, end) of the folded text; ValueError outside of it.

        >>> folded = fold("İzmir'de hava güzel")
        >>> at = folded.text.find("hava")
        >>> at, folded.original(at, at + 4)
        (10, (9, 13))
        """
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"[{start}, {end}) does not lie in a text of {len(self.text)} code points")
        if self.starts is None or self.ends is None:
            return start, end
        if start == end:
            at = self.starts[start] if start < len(self.starts) else (self.ends[-1] if self.ends else 0)
            return at, at
        return self.starts[start], self.ends[end - 1]


def _folded_piece(piece: str, *, turkic: bool) -> str:
    composed = nfc(piece)
    if turkic:
        composed = composed.translate(_DOTLESS)
    return nfc(composed.casefold())


def fold(text: str, *, language: str | None = None, digits: bool = False) -> Folded:
    """Fold case after NFC, keeping the way back to the original; `digits` also folds digits to 0-9.

    Turkish and Azerbaijani (`language` tr, az) fold I to ı and İ to i; without them İ becomes two code points.

    >>> fold("DİYARBAKIR", language="tr").text == fold("diyarbakır", language="tr").text
    True
    """
    turkic = language is not None and language.split("-")[0].lower() in _TURKIC
    if text.isascii() and not turkic:
        return Folded(text.lower())
    whole = _folded_piece(text, turkic=turkic)
    if len(whole) == len(text) and unicodedata.is_normalized("NFC", text):
        return Folded(fold_digits(whole) if digits else whole)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        piece = _folded_piece(cluster[0], turkic=turkic)
        pieces.append(piece)
        same = len(piece) == len(cluster[0])
        for i in range(len(piece)):
            starts.append(cluster.start() + i if same else cluster.start())
            ends.append(cluster.start() + i + 1 if same else cluster.end())
    folded = "".join(pieces)
    return Folded(fold_digits(folded) if digits else folded, tuple(starts), tuple(ends))


def fold_text(text: str, *, language: str | None = None) -> str:
    """Return text as it is compared: NFC, case and digits folded, invisible characters dropped, one apostrophe.

    >>> fold_text("Об’єкт ٥")
    "об'єкт 5"
    """
    return _folded_word(text, language) if len(text) <= _WORD_LENGTH else _folded(text, language)


def _folded(text: str, language: str | None) -> str:
    folded = fold(text, language=language, digits=True).text
    if folded.isascii():
        return folded
    return str(_INVISIBLE.sub("", folded)).replace("’", "'").replace("ʼ", "'")


_folded_word = functools.lru_cache(maxsize=65536)(_folded)  # the words of a language come again and again
