"""Which way the words of an English text point: up, down, or denied; what "reduces", "lack of" and "unrelated" share.

The sign of a stretch of text is -1 to the number of its words that point down, and turned once more where anything in
it denies: "inhibits", "does not increase" and "promotes the loss of" are negative, "does not reduce" is positive. It
says which way an effect goes, not whether it is good. The lists are English; words of another language have no sign.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Literal, NamedTuple

import regex

from ragtriage.text.tokens import words

__all__ = ["RULES", "Cue", "SignedWord", "cue_of", "sign", "signed_words"]

Cue = Literal["up", "down", "deny"]

_WHOLE = 4
_UP_TEXT = """
abundan accelerat accumul activat amplif augment benefi better boost drive elevat enabl enhanc exacerbat expan facilitat
gain great grew grow grown growth high higher improv increas induc larger longer more overestimat overexpress positiv
promot rais rise risen rose stimulat strengthen support trigger upregulat
"""
_DOWN_TEXT = """
ablat abolish abrogat absen alleviat ameliorat antagoni attenuat block damag deactivat declin decreas deficien delay
deplet depriv diminish disrupt downregulat drop eliminat fall fallen fell fewer hamper hinder imped impair inhibit
knockdown knockout lack less limit loss low lower negativ poor prevent protect reduc rescu resist scarce short shrink
shrunk silenc slow suppress underestimat weaken worse
"""
_DENY_TEXT = """
absence absent cannot fail failed failing fails inaccurate independent independently ineffective insignificant
insufficient irrelevant lack lacking lacks little neither never no none nonsignificant nor not unable unaffected
unchanged uncorrelated unlikely unrelated without
"""
_UP, _DOWN, _DENY = (frozenset(text.split()) for text in (_UP_TEXT, _DOWN_TEXT, _DENY_TEXT))
"""Beginnings of words; one of up to four letters has to be the whole word. Words of denial are always whole."""

_BOUND_TEXT = (
    r"\b(?:not? |nor )?(?:more|less|fewer|greater|higher|lower|larger|longer) than(?=\W*\d)"
    r"|\b(?:not? |nor )(?:more|less|fewer|greater|later|earlier|older|higher|lower) than\b"
    r"|\bnot only\b|\bwhether or not\b|\bno later\b"
)
_BOUND = regex.compile(_BOUND_TEXT, regex.IGNORECASE)
_CONTRACTED = regex.compile(r"n[’']t\b", regex.IGNORECASE)

RULES = (_UP_TEXT, _DOWN_TEXT, _DENY_TEXT, _BOUND_TEXT)
"""All of the data, for the identity of what was judged by it."""


def _begins(word: str, beginnings: frozenset[str]) -> bool:
    return word in beginnings or any(word[:end] in beginnings for end in range(_WHOLE + 1, len(word)))


@functools.lru_cache(maxsize=32768)
def cue_of(word: str) -> Cue | None:
    """Return what a folded word does to the sign, or None.

    >>> cue_of("reduces"), cue_of("promoted"), cue_of("unrelated"), cue_of("fee")
    ('down', 'up', 'deny', None)
    """
    if word in _DENY:
        return "deny"
    if _begins(word, _UP):
        return "up"
    return "down" if _begins(word, _DOWN) else None


def sign(cues: Iterable[Cue]) -> int:
    """Return -1 for an odd number of words that point down, the other way round where any denies, else 1.

    >>> sign(["deny", "down"]), sign(["up", "down"]), sign(["deny", "deny"]), sign([])
    (1, -1, -1, 1)
    """
    read = list(cues)
    return -1 if (read.count("down") + ("deny" in read)) % 2 else 1


class SignedWord(NamedTuple):
    """A folded word and what it does to the sign."""

    text: str
    cue: Cue | None


@functools.lru_cache(maxsize=4096)
def signed_words(text: str) -> tuple[SignedWord, ...]:
    """Return the words of a text in order, without those that only bound a number or deny nothing.

    >>> [word.cue for word in signed_words("It doesn't reduce costs by more than 5 %") if word.cue]
    ['deny', 'down']
    """
    plain = _CONTRACTED.sub(" not", _BOUND.sub(" ", text))
    return tuple(SignedWord(word, cue_of(word)) for word in words(plain))
