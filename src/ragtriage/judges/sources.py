"""A source text cut into units that a claim is held against: sentences and table rows with what stands above them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from ragtriage.judges.oppositions import costs_nothing, poles
from ragtriage.text.amounts import Amounts, read_amounts
from ragtriage.text.clauses import clauses
from ragtriage.text.content import WordSet, content_words
from ragtriage.text.negation import negated_words, negations
from ragtriage.text.sentences import sentences
from ragtriage.text.spans import Spans

__all__ = ["Part", "Source", "Unit", "read_source"]


@dataclass(frozen=True, slots=True)
class Part:
    """A clause of a unit: its words, those of them that it denies, and the sides of oppositions it stands on."""

    words: WordSet
    denied: WordSet
    poles: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """One sentence or table row at [start, end) of its source.

    `order` and `words` are its own content words, `above` those of the headings, the table's header and the lead-in
    that it stands under.
    """

    text: str
    start: int
    end: int
    order: tuple[str, ...]
    words: WordSet
    above: WordSet
    amounts: Amounts
    parts: tuple[Part, ...]
    denies: bool
    poles: frozenset[tuple[int, int]]
    free: bool


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A text as units in order, and its language where it is known."""

    units: tuple[Unit, ...]
    language: str | None


def _words_outside_amounts(text: str, language: str | None, amounts: Amounts) -> list[str]:
    numbers = [n for n in amounts.numbers if not n.in_words or n.unit]
    taken = Spans.of(numbers, amounts.dates)
    return [w.text for w in content_words(text, language) if not taken.overlap(w.start, w.end)]


def _sides(words: Iterable[str]) -> frozenset[tuple[int, int]]:
    return frozenset(side for word in words for side in poles(word))


def _part(text: str, language: str | None) -> Part:
    words = content_words(text, language)
    denied = negated_words(text, words)
    return Part(WordSet(w.text for w in words), WordSet(words[i].text for i in denied), _sides(w.text for w in words))


def _unit(text: str, start: int, end: int, above: list[str], language: str | None) -> Unit:
    piece = text[start:end]
    amounts = read_amounts(piece, language)
    words = _words_outside_amounts(piece, language, amounts)
    parts = tuple(_part(clause.text, language) for clause in clauses(piece, language=language))
    return Unit(
        text=piece,
        start=start,
        end=end,
        order=tuple(words),
        words=WordSet(words),
        above=WordSet(above),
        amounts=amounts,
        parts=parts,
        denies=bool(negations(piece)),
        poles=_sides(words),
        free=costs_nothing(piece),
    )


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
    return Source(tuple(units), language)
