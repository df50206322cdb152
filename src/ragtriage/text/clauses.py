"""Cut a sentence into clauses that can each be checked: by commas, semicolons and conjunctions between statements.

No grammar is known here. A piece counts as a statement when it holds a number with a unit and a word of its own, or a
word that looks like a verb beside another word; a piece that does not stands with its neighbour.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import regex

from ragtriage.text.amounts import Amounts, read_amounts
from ragtriage.text.language import base_language, guess_language
from ragtriage.text.normalise import fold_text
from ragtriage.text.spans import Spans
from ragtriage.text.stop_words import STOP_WORDS
from ragtriage.text.verbs import SUBORDINATORS, looks_like_verb

__all__ = ["Clause", "clauses"]

_BREAK = regex.compile(r"[;；]|[,，、،](?!\p{Nd})|[:：](?=\s)")
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


def _breaks(text: str, taken: Spans) -> list[tuple[int, int]]:
    """Return where the text may be cut: marks outside of brackets, quotations, numbers and dates."""
    closing: list[str] = []
    found: list[tuple[int, int]] = []
    at = 0
    for match in _BREAK.finditer(text):
        for c in text[at : match.start()]:
            if c in _PAIRS:
                closing.append(_PAIRS[c])
            elif closing and c == closing[-1]:
                closing.pop()
        at = match.start()
        if not closing and not taken.overlap(*match.span()):
            found.append(match.span())
    return found


def _is_statement(text: str, start: int, end: int, amounts: Amounts, *, language: str | None, needs_verb: bool) -> bool:
    """Say whether a piece of a sentence can be checked by itself."""
    inside = [n for n in amounts.numbers if start <= n.start and n.end <= end]
    dates = [d for d in amounts.dates if start <= d.start and d.end <= end]
    covered = Spans.of(inside, dates)
    own = [
        fold_text(word[0])
        for word in _WORD.finditer(text, start, end)
        if not covered.overlap(*word.span()) and fold_text(word[0]) not in _CONJUNCTIONS
    ]
    if own and not needs_verb and any(n.unit is not None and not n.in_words for n in inside):
        return True
    stop = STOP_WORDS.get(language or "", frozenset())
    if sum(word not in stop for word in own) + len(inside) + len(dates) < _MIN_WORDS:
        return False
    return any(looks_like_verb(word, language=language) for word in own)


def _depends(text: str, start: int, end: int) -> bool:
    first = _WORD.search(text, start, end)
    return first is not None and fold_text(first[0]) in SUBORDINATORS


def clauses(text: str, *, language: str | None = None) -> list[Clause]:
    """Return the clauses of one sentence in order; a sentence that cannot be cut is one clause.

    >>> sentence = "Комиссия 1% от остатка, минимум 5 000 ₸, рассмотрение занимает 1 день."
    >>> [c.text for c in clauses(sentence, language="ru")]
    ['Комиссия 1% от остатка', 'минимум 5 000 ₸', 'рассмотрение занимает 1 день.']
    >>> [c.text for c in clauses("Mars has two moons, Phobos and Deimos.", language="en")]
    ['Mars has two moons, Phobos and Deimos.']
    """
    base = base_language(language) or guess_language(text)
    amounts = read_amounts(text, language)
    taken = Spans.of(amounts.numbers, amounts.dates)
    cuts = [(0, 0), *_breaks(text, taken), (len(text), len(text))]
    merged: list[tuple[int, int]] = []
    pending = False
    for (mark, start), (end, _) in itertools.pairwise(cuts):
        after_colon = text[mark:start] in {":", "："}
        statement = _is_statement(text, start, end, amounts, language=base, needs_verb=after_colon)
        whole = statement and not _depends(text, start, end)
        if merged and (pending or not whole):
            merged[-1] = (merged[-1][0], end)
            pending = pending and not whole
        else:
            merged.append((start, end))
            pending = not whole
    return _trimmed(text, merged)


def _trimmed(text: str, spans: list[tuple[int, int]]) -> list[Clause]:
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
