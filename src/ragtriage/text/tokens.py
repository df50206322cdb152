"""Words of any script with their places.

A word is a run of letters, marks and digits; scripts that write no spaces (Han, Kana, Thai, Lao, Khmer, Myanmar) are
cut by grapheme cluster, so that overlap of tokens means something there too.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from ragtriage.text.normalise import fold_text

__all__ = ["UNSPACED", "Token", "count_words", "tokens", "words"]

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々〆"
"""The scripts without spaces, as the inside of a character class of `regex`."""

_JOINERS = r"\u200c\u200d\u00ad\u2060"
_CLUSTER = rf"(?=[[{UNSPACED}]--\p{{Nd}}--\p{{P}}--\p{{S}}--\p{{M}}])\X"
_RUN = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[[{UNSPACED}]--\p{{Nd}}]]+"
_JOIN = rf"(?:[{_JOINERS}]+|(?<=\p{{Cyrillic}})['’](?=\p{{Cyrillic}}))"
_SPACED = {code: " " for code in range(128) if not chr(code).isalnum()}
_TOKEN = regex.compile(rf"(?V1){_CLUSTER}|{_RUN}(?:{_JOIN}{_RUN})*")


@dataclass(frozen=True, slots=True)
class Token:
    """A word: `text` stands at [start, end) of the text it was read from."""

    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """Return the words of a text in order.

    >>> [t.text for t in tokens("Об'єкт №5: 退款, café!")]
    ["Об'єкт", '5', '退', '款', 'café']
    """
    return [Token(m[0], m.start(), m.end()) for m in _TOKEN.finditer(text)]


def words(text: str, *, language: str | None = None) -> list[str]:
    """Return the words as they are compared: NFC, case and digits folded.

    >>> words("Возврат СРЕДСТВ")
    ['возврат', 'средств']
    """
    folded = fold_text(text, language=language)
    if folded.isascii():  # several times quicker, and the same
        return folded.translate(_SPACED).split()
    found: list[str] = _TOKEN.findall(folded)
    return found


def count_words(text: str) -> int:
    """Count the words of a text.

    >>> count_words("one, two")
    2
    """
    return sum(1 for _ in _TOKEN.finditer(text))
