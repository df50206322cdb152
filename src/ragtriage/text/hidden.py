"""What a reader cannot see in a text: zero-width characters, bidi controls, soft hyphens, letters of another script.

Joiners are kept out where a script needs them: between letters of Arabic, Indic and other joining scripts, inside
emoji, and zero-width spaces between words of Thai, Lao, Khmer and Myanmar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import regex

__all__ = ["Hidden", "HiddenKind", "hidden_in"]

HiddenKind = Literal["zero width", "bidi control", "soft hyphen", "letter of another script"]

_JOINING = "".join(
    rf"\p{{{script}}}"
    for script in (
        *("Arabic", "Syriac", "Mandaic", "Nko", "Mongolian", "Phags_Pa", "Adlam", "Devanagari", "Bengali"),
        *("Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer"),
        *("Myanmar", "Tibetan", "Balinese", "Javanese", "Limbu", "Tai_Tham"),
    )
)
_UNSPACED = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_PICTURE = r"\p{Extended_Pictographic}[\ufe0f\U0001f3fb-\U0001f3ff]?"
_PROPER = rf"""
    (?<=[{_JOINING}]\p{{Mn}}*)(?:\u200c(?=[{_JOINING}])|\u200d)
    |(?<={_PICTURE})\u200d(?=\p{{Extended_Pictographic}})
    |(?<=\U0001f3f4)[\U000e0020-\U000e007e]+\U000e007f
    |(?<=[{_UNSPACED}])\u200b(?=[{_UNSPACED}])
    |(?<=\p{{Mongolian}})\u180e
"""
_ZERO_WIDTH = (
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    r"\U000e0000-\U000e007f]"
)
_MARK = regex.compile(
    rf"""
    (?:{_PROPER})
    |(?P<zero>{_ZERO_WIDTH}|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+)
    |(?P<bidi>[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])
    |(?P<hyphen>\u00ad)
    """,
    regex.VERBOSE,
)
_KINDS: dict[str, HiddenKind] = {"zero": "zero width", "bidi": "bidi control", "hyphen": "soft hyphen"}

# Letters that look like a Latin letter; after Unicode Technical Standard 39, those alone that common fonts draw alike.
_CYRILLIC = dict(zip("аеорсухіјѕһԁԛԝёїАВЕЅІЈКМНОРСТУХҺԚԜЁЇҮӀ", "aeopcyxijshdqwëïABESIJKMHOPCTYXhQWËÏYI", strict=True))
_GREEK = dict(zip("ονραυικγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovpauikyABEZHIKMNOPTYX", strict=True))
_LATIN_IN_CYRILLIC = frozenset(_CYRILLIC.values()) - frozenset("sjdqwSJQW")  # modern alphabets lack these letters
_LOOKALIKES: dict[tuple[str, str], frozenset[str]] = {
    ("Cyrillic", "Latin"): frozenset(_CYRILLIC),
    ("Latin", "Cyrillic"): _LATIN_IN_CYRILLIC,
    ("Greek", "Latin"): frozenset(_GREEK),
    ("Latin", "Greek"): frozenset(_GREEK.values()),
    ("Greek", "Cyrillic"): frozenset(letter for letter, like in _GREEK.items() if like in _CYRILLIC.values()),
    ("Cyrillic", "Greek"): frozenset(letter for letter, like in _CYRILLIC.items() if like in _GREEK.values()),
}
_MIXED = regex.compile(
    r"(?V1)(?<![\p{L}\p{M}])(?=[\p{L}\p{M}]*(?:\p{Latin}\p{M}*[\p{Cyrillic}\p{Greek}]"
    r"|\p{Cyrillic}\p{M}*[\p{Latin}\p{Greek}]|\p{Greek}\p{M}*[\p{Latin}\p{Cyrillic}]))[\p{L}\p{M}]+"
)
_SCRIPTS = {name: regex.compile(rf"\p{{{name}}}") for name in ("Latin", "Cyrillic", "Greek")}


@dataclass(frozen=True, slots=True)
class Hidden:
    """Something at [start, end) of a text that a reader does not see for what it is."""

    kind: HiddenKind
    start: int
    end: int


def hidden_in(text: str) -> Iterator[Hidden]:
    r"""Yield what a text hides, kind by kind.

    A word hides letters of another script where those of Latin, Cyrillic or Greek that are the fewer in it all look
    like letters of the other script.

    >>> [(h.kind, h.start) for h in hidden_in("pay\u200bment to Р\u0430yments, soft\u00adly, 3D-принтер")]
    [('zero width', 3), ('soft hyphen', 26), ('letter of another script', 12)]
    >>> list(hidden_in("می\u200cخواهم, 👩🏽\u200d💻, क्\u200dष"))
    []
    """
    if text.isascii():
        return
    for found in _MARK.finditer(text):
        if found.lastgroup is not None:
            yield Hidden(_KINDS[found.lastgroup], found.start(), found.end())
    for word in _MIXED.finditer(text):
        if _is_disguised(word[0]):
            yield Hidden("letter of another script", word.start(), word.end())


def _is_disguised(word: str) -> bool:
    letters = {name: found for name, pattern in _SCRIPTS.items() if (found := pattern.findall(word))}
    return any(
        len(few) <= len(many) and _LOOKALIKES[script, other].issuperset(few)
        for script, few in letters.items()
        for other, many in letters.items()
        if other != script
    )
