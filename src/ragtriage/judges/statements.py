"""A claim read into what can be looked for: words with weights, what it adds by a conjunction, numbers and dates."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from ragtriage.judges.oppositions import costs_nothing, poles
from ragtriage.text.amounts import Amounts, read_amounts
from ragtriage.text.content import WordSet, content_words
from ragtriage.text.negation import negated_words, negations
from ragtriage.text.numbers import Number
from ragtriage.text.spans import Placed, Spans
from ragtriage.text.tokens import count_words

__all__ = ["ASKED_WEIGHT", "JOINS", "Statement", "must_be_found", "read_statement"]

ASKED_WEIGHT = 0.5
"""The weight of a word that only repeats the question; another word weighs 1."""

_NEAR = 2
_NEAR_CHARACTERS = 100  # a word and what stands around it
_BREAK = regex.compile(r"[,;:.]")
JOINS = regex.compile(
    r"(?<![\p{L}])(?:and|or|as well as|и|или|либо|а также|і|й|та|або|чи|а також|және|немесе|әрі|&|\+)\s+"
    r"(?P<next>[^,;.:]{1,60})",
    regex.IGNORECASE,
)
_EMPTY_TEXT = """
минимум максимум менее более меньше больше менше більше least most minimum maximum кемінде составляет составляют
становить становлять құрайды according согласно відповідно сәйкес документ документу документе context document
контекст provided указано вказано information информация інформація ақпарат равен равна дорівнює
"""
_EMPTY = WordSet(_EMPTY_TEXT.split())


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A claim as what can be looked for: words with weights, words it adds by a conjunction, numbers and dates."""

    text: str
    language: str | None
    words: tuple[str, ...]
    weights: tuple[float, ...]
    added: tuple[frozenset[int], ...]
    amounts: Amounts
    denied: frozenset[int]
    denies_amount: bool
    poles: frozenset[tuple[int, int]]
    free: bool


def read_statement(text: str, language: str | None = None, *, question: str = "") -> Statement:
    """Read a claim; words that only repeat the question weigh less."""
    amounts = read_amounts(text, language)
    pieces: list[Placed] = [*(n for n in amounts.numbers if not n.in_words or n.unit), *amounts.dates]
    taken = Spans.of(pieces)
    asked = WordSet(w.text for w in content_words(question, language)) if question else WordSet(())
    places = [w for w in content_words(text, language) if not taken.overlap(w.start, w.end) and w.text not in _EMPTY]
    starts = [w.start for w in places]
    added = []
    for join in JOINS.finditer(text):
        first = bisect_left(starts, join.start("next"))
        if first < len(starts) and starts[first] < join.end("next"):
            added.append(frozenset({first}))
    denials = sorted(end for _, end in negations(text))
    return Statement(
        text=text,
        language=language,
        words=tuple(w.text for w in places),
        weights=tuple(ASKED_WEIGHT if w.text in asked else 1.0 for w in places),
        added=tuple(added),
        amounts=amounts,
        denied=negated_words(text, places),
        denies_amount=any(_denied_amount(text, piece.start, denials) for piece in pieces),
        poles=frozenset(side for w in places for side in poles(w.text)),
        free=costs_nothing(text),
    )


def must_be_found(number: Number) -> bool:
    """Say whether a number of a claim must be found: "one" alone is more often a pronoun."""
    return not (number.in_words and number.unit is None and number.values[0] == 1)


def _denied_amount(text: str, start: int, denials: Sequence[int]) -> bool:
    """Say whether a negation, by where it ends, stands in the two words before an amount: "not 5 %"."""
    before = bisect_right(denials, start) - 1  # an earlier one stands farther away, behind the same words
    if before < 0 or start - denials[before] > _NEAR_CHARACTERS:
        return False
    end = denials[before]
    return count_words(text[end:start]) < _NEAR and not _BREAK.search(text, end, start)
