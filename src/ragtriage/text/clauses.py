"""Cut a sentence into clauses that can each be checked: by commas, semicolons and conjunctions between statements.

No grammar is known here. A piece counts as a statement when it holds a number with a unit and a word of its own, or a
word that looks like a verb beside another word; a piece that does not stands with its neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from ragtriage.text.amounts import Amounts, read_amounts
from ragtriage.text.normalise import fold_text
from ragtriage.text.verbs import SUBORDINATORS, looks_like_verb

__all__ = ["Clause", "clauses"]

_BREAK = regex.compile(r"[;；]|[,，、،](?!\p{Nd})|\s[-–—](?=\s)")
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['’ʼ][\p{L}\p{M}]+)*")
_CONJUNCTIONS_TEXT = """
and but or nor so yet и а но или либо да і й та але або чи однак зато және ал бірақ не немесе
"""
_CONJUNCTIONS = frozenset(_CONJUNCTIONS_TEXT.split())
_PAIRS = {"(": ")", "[": "]", "«": "»", "“": "”", "{": "}"}
_MIN_WORDS = 2


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: `text` stands at [start, end) of the text that was cut."""

    text: str
    start: int
    end: int


def _breaks(text: str) -> list[tuple[int, int, bool]]:
    """Return where the text may be cut: (end of the left piece, start of the right one, whether it is a semicolon)."""
    closing: list[str] = []
    found: list[tuple[int, int, bool]] = []
    at = 0
    for match in _BREAK.finditer(text):
        for c in text[at : match.start()]:
            if c in _PAIRS:
                closing.append(_PAIRS[c])
            elif closing and c == closing[-1]:
                closing.pop()
        at = match.start()
        if not closing and match[0].strip() not in {"-", "–", "—"}:
            found.append((match.start(), match.end(), match[0] in ";；"))
    return found


def _words(text: str) -> list[str]:
    return [fold_text(w) for w in _WORD.findall(text)]


def _is_statement(piece: str, start: int, amounts: Amounts, *, language: str | None) -> bool:
    """Say whether a piece of a sentence can be checked by itself."""
    end = start + len(piece)
    inside = [n for n in amounts.numbers if start <= n.start and n.end <= end]
    dates = [d for d in amounts.dates if start <= d.start and d.end <= end]
    covered = [(n.start, n.end) for n in inside] + [(d.start, d.end) for d in dates]
    own = [
        fold_text(w[0])
        for w in _WORD.finditer(piece)
        if not any(a <= start + w.start() < b for a, b in covered) and fold_text(w[0]) not in _CONJUNCTIONS
    ]
    if own and any(n.unit is not None and not n.in_words for n in inside):
        return True
    if len(own) + len(covered) < _MIN_WORDS:
        return False
    return any(looks_like_verb(word, language=language) for word in own)


def clauses(text: str, *, language: str | None = None) -> list[Clause]:
    """Return the clauses of one sentence in order; a sentence that cannot be cut is one clause.

    >>> sentence = "Комиссия 1% от остатка, минимум 5 000 ₸, рассмотрение занимает 1 день."
    >>> [c.text for c in clauses(sentence, language="ru")]
    ['Комиссия 1% от остатка', 'минимум 5 000 ₸', 'рассмотрение занимает 1 день.']
    >>> [c.text for c in clauses("Mars has two moons, Phobos and Deimos.", language="en")]
    ['Mars has two moons, Phobos and Deimos.']
    """
    amounts = read_amounts(text, language)
    cuts = [c for c in _breaks(text) if not any(n.start < c[1] and c[0] < n.end for n in amounts.numbers)]
    cuts = [c for c in cuts if not any(d.start < c[1] and c[0] < d.end for d in amounts.dates)]
    spans: list[list[int]] = []
    start = 0
    for left_end, right_start, _ in [*cuts, (len(text), len(text), False)]:
        spans.append([start, left_end])
        start = right_start
    merged: list[list[int]] = []
    pending = False
    for span in spans:
        piece = text[span[0] : span[1]]
        words = _words(piece)
        subordinate = bool(words) and words[0] in SUBORDINATORS
        statement = _is_statement(piece, span[0], amounts, language=language)
        if merged and (pending or not statement or subordinate):
            merged[-1][1] = span[1]
            pending = pending and not (statement and not subordinate)
        else:
            merged.append(list(span))
            pending = not statement or subordinate
    return _trimmed(text, merged)


def _trimmed(text: str, spans: list[list[int]]) -> list[Clause]:
    found = []
    for start, end in spans:
        begin, stop = start, end
        while begin < stop and text[begin].isspace():
            begin += 1
        while begin < stop and text[stop - 1].isspace():
            stop -= 1
        if begin < stop:
            found.append(Clause(text[begin:stop], begin, stop))
    return found
