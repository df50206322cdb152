"""A source text cut into units that a claim is held against: sentences and table rows with what stands above them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from ragtriage.judges.oppositions import costs_nothing, poles
from ragtriage.text.amounts import Amounts, read_amounts
from ragtriage.text.clauses import clauses
from ragtriage.text.content import WordSet, content_words
from ragtriage.text.negation import negations
from ragtriage.text.sentences import sentences

__all__ = ["Part", "Source", "Unit", "read_source"]


@dataclass(frozen=True, slots=True)
class Part:
    """A clause of a unit: its words and whether it denies."""

    words: WordSet
    denies: bool


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """One sentence or table row at [start, end) of its source.

    `words` are its own, `above` those of the headings, the table's header and the lead-in that it stands under.
    """

    text: str
    start: int
    end: int
    words: WordSet
    above: WordSet
    amounts: Amounts
    parts: tuple[Part, ...]
    poles: frozenset[tuple[int, int]]
    free: bool


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A text as units in order."""

    units: tuple[Unit, ...]


def _words_outside_amounts(text: str, language: str | None, amounts: Amounts) -> list[str]:
    taken = [(n.start, n.end) for n in amounts.numbers if not n.in_words or n.unit]
    taken += [(d.start, d.end) for d in amounts.dates]
    return [w.text for w in content_words(text, language) if not any(a <= w.start and w.end <= b for a, b in taken)]


def _unit(text: str, start: int, end: int, above: list[str], language: str | None) -> Unit:
    piece = text[start:end]
    amounts = read_amounts(piece, language)
    words = _words_outside_amounts(piece, language, amounts)
    parts = tuple(
        Part(WordSet(w.text for w in content_words(c.text, language)), bool(negations(c.text)))
        for c in clauses(piece, language=language)
    )
    sides = frozenset(side for word in words for side in poles(word))
    return Unit(piece, start, end, WordSet(words), WordSet(above), amounts, parts, sides, costs_nothing(piece))


@functools.lru_cache(maxsize=2048)
def read_source(text: str, language: str | None = None, given: str = "") -> Source:
    r"""Cut a source into units; words of `given` count as standing above each (the question that a reference answers).

    >>> [u.text for u in read_source("# Fees\nThe fee is 1%. No other fee.").units]
    ['The fee is 1%.', 'No other fee.']
    """
    always = [w.text for w in content_words(given, language)] if given else []
    units: list[Unit] = []
    headings: list[str] = []
    header: list[str] = []
    lead: list[str] = []
    pending: tuple[int, int] | None = None
    for sentence in sentences(text):
        words = [w.text for w in content_words(sentence.text, language)]
        if sentence.kind == "heading":
            headings, header, lead = words, [], []
            pending = (sentence.start, sentence.end)
            continue
        if sentence.kind == "header":
            header = words
            continue
        if sentence.kind != "row":
            header = []
        above = [*always, *headings, *header, *(lead if sentence.kind in {"item", "row"} else [])]
        units.append(_unit(text, sentence.start, sentence.end, above, language))
        pending = None
        if sentence.text.rstrip("*_ ").endswith((":", "：")):
            lead = words
        elif sentence.kind == "prose":
            lead = []
    if pending and not units:
        units.append(_unit(text, *pending, always, language))
    return Source(tuple(units))
