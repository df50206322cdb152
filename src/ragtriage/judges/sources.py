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
from ragtriage.text.sentences import Sentence, SentenceKind, sentences
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
    that it stands under; so are `amounts` and `above_amounts`.
    """

    text: str
    start: int
    end: int
    order: tuple[str, ...]
    words: WordSet
    above: WordSet
    amounts: Amounts
    above_amounts: tuple[Amounts, ...]
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


@dataclass(slots=True)
class _Above:
    """What stands above the sentence that is read: headings by level, a table's header, a lead-in that ends in `:`."""

    headings: dict[int, str]
    header: str = ""
    lead: str = ""

    def enter(self, level: int, heading: str) -> None:
        self.headings = {**{k: v for k, v in self.headings.items() if k < level}, level: heading}
        self.header = self.lead = ""

    def texts(self, kind: SentenceKind) -> list[str]:
        lead = self.lead if kind in {"item", "row"} else ""
        return [text for text in (*self.headings.values(), self.header, lead) if text]


def _unit(sentence: Sentence, above: list[str], language: str | None, given: str) -> Unit:
    piece = sentence.text
    amounts = read_amounts(piece, language)
    words = _words_outside_amounts(piece, language, amounts)
    return Unit(
        text=piece,
        start=sentence.start,
        end=sentence.end,
        order=tuple(words),
        words=WordSet(words),
        above=WordSet(w.text for title in (given, *above) for w in content_words(title, language)),
        amounts=amounts,
        above_amounts=tuple(read_amounts(title, language) for title in above),
        parts=tuple(_part(clause.text, language) for clause in clauses(piece, language=language)),
        denies=bool(negations(piece)),
        poles=_sides(words),
        free=costs_nothing(piece),
    )


@functools.lru_cache(maxsize=2048)
def read_source(text: str, language: str | None = None, given: str = "") -> Source:
    r"""Cut a source into units.

    Words of `given` (the question that a reference answers) count as standing above each, its numbers do not.

    >>> [u.text for u in read_source("# Fees\nThe fee is 1%. No other fee.").units]
    ['The fee is 1%.', 'No other fee.']
    """
    units: list[Unit] = []
    above = _Above({})
    pending: Sentence | None = None
    for sentence in sentences(text):
        if sentence.kind == "heading":
            above.enter(1 + text[: sentence.start].rpartition("\n")[2].count("#"), sentence.text)
            pending = sentence
            continue
        if sentence.kind == "header":
            above.header = sentence.text
            continue
        if sentence.kind != "row":
            above.header = ""
        units.append(_unit(sentence, above.texts(sentence.kind), language, given))
        pending = None
        if sentence.text.rstrip("*_ ").endswith((":", "：")):
            above.lead = sentence.text
        elif sentence.kind == "prose":
            above.lead = ""
    if pending is not None and not units:
        units.append(_unit(pending, [], language, given))
    return Source(tuple(units), language)
