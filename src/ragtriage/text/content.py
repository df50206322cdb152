"""Words that carry content, and when two inflected forms are one word.

The rule: two words are one when they share a beginning of at least four letters (three where one of them is no longer
than that) and what is left of either is an ending that inflection adds. It needs no dictionary and is the same for
English, Russian, Ukrainian and Kazakh; words of other languages match in the same form only.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

import regex

from ragtriage.text.language import base_language, guess_language
from ragtriage.text.normalise import fold_text
from ragtriage.text.stop_words import STOP_WORDS
from ragtriage.text.suffixes import ENGLISH, KAZAKH, SLAVIC
from ragtriage.text.tokens import tokens

__all__ = ["Word", "WordSet", "content_words", "same_word"]

_LONG = 4
_SHORT = 3
_STACK = regex.compile("(?:" + "|".join(sorted(KAZAKH, key=len, reverse=True)) + "){1,5}")
_SHORT_TAILS_TEXT = "а я о е и ы у ю ь і ї й ов ом ем ам ах ів ға ге ды ді ны ні"
_SHORT_TAILS = frozenset(_SHORT_TAILS_TEXT.split())
_SHORT_LATIN = frozenset({"s", "es", "'s"})
_STOP_CYRILLIC = STOP_WORDS["ru"] | STOP_WORDS["uk"]


@dataclass(frozen=True, slots=True)
class Word:
    """A content word at [start, end), folded."""

    text: str
    start: int
    end: int


def _ending(tail: str, *, latin: bool) -> bool:
    if not tail:
        return True
    if latin:
        return tail in ENGLISH
    return tail in SLAVIC or _STACK.fullmatch(tail) is not None


def _common_prefix(first: str, second: str) -> int:
    length = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        length += 1
    return length


@functools.lru_cache(maxsize=131072)
def same_word(first: str, second: str) -> bool:
    """Say whether two folded words are forms of one word.

    >>> same_word("заявления", "заявление"), same_word("подаётся", "подать"), same_word("карталарының", "карта")
    (True, True, True)
    >>> same_word("fee", "fees"), same_word("company", "compare"), same_word("процент", "процесс")
    (True, False, False)
    """
    if first == second:
        return True
    one, other = first.replace("ё", "е"), second.replace("ё", "е")
    prefix = _common_prefix(one, other)
    if prefix < _SHORT or not (one.isalpha() and other.replace("'", "").isalpha()):
        return one == other
    tails = (one[prefix:], other[prefix:])
    latin = one.isascii()
    if prefix < _LONG:
        tail = tails[0] or tails[1]
        if prefix < min(len(one), len(other)):
            return False
        return tail in _SHORT_LATIN if latin else tail in _SHORT_TAILS
    return all(_ending(tail, latin=latin) for tail in tails)


class WordSet:
    """A set of folded words that is asked for any form of a word."""

    __slots__ = ("_by_start", "_words")

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._by_start: dict[str, list[str]] = {}
        for word in self._words:
            self._by_start.setdefault(word.replace("ё", "е")[:_SHORT], []).append(word)

    def __contains__(self, word: str) -> bool:
        """Say whether a form of the word is in the set.

        >>> "комиссии" in WordSet(["комиссия"])
        True
        """
        if word in self._words:
            return True
        return any(same_word(word, other) for other in self._by_start.get(word.replace("ё", "е")[:_SHORT], ()))

    def __len__(self) -> int:
        """Count the words."""
        return len(self._words)


@functools.lru_cache(maxsize=16384)
def content_words(text: str, language: str | None = None) -> tuple[Word, ...]:
    """Return the content words of a text: no stop words, no bare numbers; `language` None is guessed.

    >>> [w.text for w in content_words("Комиссия за перевод не взимается")]
    ['комиссия', 'перевод', 'взимается']
    """
    known = base_language(language) or guess_language(text)
    stop = STOP_WORDS.get(known or "", _STOP_CYRILLIC)
    found = []
    for token in tokens(text):
        folded = fold_text(token.text)
        if folded in stop or folded.isdecimal() or (len(folded) == 1 and folded.isascii()):
            continue
        found.append(Word(folded, token.start, token.end))
    return tuple(found)
