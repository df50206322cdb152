"""Texts as the words that are searched: numbers in one form, words stemmed, stop words left out; and token counts."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator

import regex

from reference_rag.languages import STOP_WORDS, detect_language, stem

__all__ = ["CHARACTERS_PER_TOKEN", "count_tokens", "numbers", "terms", "words"]

CHARACTERS_PER_TOKEN = 4
"""How a size in tokens becomes one in characters: what multilingual tokenisers need for prose, near enough."""

_SPACES = " \u00a0\u202f\u2009"
_NUMBER = rf"\p{{Nd}}{{1,3}}(?:[{_SPACES}]\p{{Nd}}{{3}})+(?!\p{{Nd}})(?:[.,]\p{{Nd}}+)?|\p{{Nd}}+(?:[.,]\p{{Nd}}+)*"
_WORD = r"[\p{L}\p{M}\p{N}]*\p{L}[\p{L}\p{M}\p{N}]*(?:['’ʼ][\p{L}\p{M}]+)*"
# A word may hold digits (p53, IL6); a number holds no letters.
_TOKEN = regex.compile(rf"(?P<word>{_WORD})|(?P<number>{_NUMBER})")
_THOUSANDS = 3
_LONG_WORD = 8


def words(text: str) -> Iterator[str]:
    """Yield the words and numbers of a text, case-folded, numbers in one form.

    >>> list(words("Ставка 19,5 %, до 15 000 000 ₸ on 1,000 loans; п'ять"))
    ['ставка', '19.5', 'до', '15000000', 'on', '1000', 'loans', "п'ять"]
    """
    for match in _TOKEN.finditer(unicodedata.normalize("NFC", text)):
        word = match["word"]
        if word is None:
            yield _plain_number(match["number"])
        else:
            yield word.casefold().replace("’", "'").replace("ʼ", "'").removesuffix("'s")


def numbers(text: str) -> set[str]:
    """Return the numbers of a text in one form.

    >>> sorted(numbers("5 000 ₸ or 5,000 or 0,5 %"))
    ['0.5', '5000']
    """
    found = _TOKEN.finditer(unicodedata.normalize("NFC", text))
    return {_plain_number(match["number"]) for match in found if match["number"] is not None}


def _plain_number(written: str) -> str:
    """Write a number in ASCII digits with a point: groups of three after one mark are thousands, else a fraction."""
    digits = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in written if c not in _SPACES)
    parts = regex.split(r"[.,]", digits)
    if len(parts) == 1:
        return digits
    *whole, last = parts
    marks = set(digits) & {".", ","}
    if len(last) == _THOUSANDS and len(marks) == 1 and whole[0] != "0" and len(whole[0]) <= _THOUSANDS:
        return "".join(parts)
    return f"{''.join(whole)}.{last}" if len(whole) == 1 or len(marks) > 1 else ".".join(parts)


def terms(text: str, *, language: str | None) -> list[str]:
    """Return the stems that a text is searched by, in order, repeats kept; `language` None: guessed from the text.

    >>> terms("What are the rates on deposits?", language="en")
    ['rate', 'deposit']
    """
    spoken = language or detect_language(text)
    stops = STOP_WORDS.get(spoken or "", frozenset())
    return [stem(word, spoken) for word in words(text) if word not in stops]


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text without any model's tokeniser: one for each short word, number or mark.

    A longer word counts one for every `CHARACTERS_PER_TOKEN` characters, rounded up.

    >>> count_tokens("The fee is 2 %."), count_tokens("неустойка")
    (6, 3)
    """
    total = 0
    for piece in regex.findall(r"[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]", text):
        total += 1 if len(piece) <= _LONG_WORD else math.ceil(len(piece) / CHARACTERS_PER_TOKEN)
    return total
