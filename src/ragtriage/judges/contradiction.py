"""Whether the sentence that is nearest to a claim speaks against it."""

from __future__ import annotations

import regex

from ragtriage.judges.oppositions import bound_before, negated_form_among, opposed
from ragtriage.judges.sources import Part, Unit
from ragtriage.judges.statements import Statement, must_be_found
from ragtriage.text.content import WordSet, same_word
from ragtriage.text.dates import dates_agree
from ragtriage.text.normalise import fold_text
from ragtriage.text.numbers import Number, compare
from ragtriage.text.units import CURRENCIES

__all__ = ["amounts_contradict", "denied_by_prefix", "words_contradict"]

_NEXT_WORD = regex.compile(r"[ \u00a0\u202f-]+(?P<word>[\p{L}\p{M}]{3,})")
_DENIAL_SHARE = 0.6
_LEAST_WORDS = 2


def _counted_noun(number: Number, text: str) -> str | None:
    """Return the word that is counted: `moons` of "two moons"."""
    found = _NEXT_WORD.match(text, number.end)
    return fold_text(found["word"]) if found else None


def _comparable(mine: Number, theirs: Number, statement: Statement, unit: Unit) -> bool:
    if mine.unit is not None or theirs.unit is not None:
        return mine.unit == theirs.unit and mine.unit != "calendar year"
    noun, other = _counted_noun(mine, statement.text), _counted_noun(theirs, unit.text)
    return noun is not None and other is not None and same_word(noun, other)


def _other_number(statement: Statement, unit: Unit, found: frozenset[int]) -> bool:
    """Say whether a number of the claim that stands nowhere has another value in the unit."""
    for i, mine in enumerate(statement.amounts.numbers):
        if i in found or not must_be_found(mine) or not mine.values:
            continue
        rivals = [n for n in unit.amounts.numbers if n.values and _comparable(mine, n, statement, unit)]
        if rivals and all(compare(mine, n) == "different" for n in rivals):
            return True
        if mine.unit in CURRENCIES and unit.free and not rivals and mine.values[0] > 0:
            return True
    return False


def _other_date(statement: Statement, unit: Unit) -> bool:
    return any(
        unit.amounts.dates and not any(dates_agree(mine, theirs) for theirs in unit.amounts.dates)
        for mine in statement.amounts.dates
    )


def _other_bound(statement: Statement, unit: Unit) -> bool:
    for mine in statement.amounts.numbers:
        bound = bound_before(statement.text, mine.start, mine.end)
        if bound is None:
            continue
        for theirs in unit.amounts.numbers:
            other = bound_before(unit.text, theirs.start, theirs.end)
            if other is not None and other != bound and compare(mine, theirs) == "equal":
                return True
    return False


def _nearest_parts(statement: Statement, unit: Unit, words: frozenset[int]) -> list[tuple[Part, frozenset[int]]]:
    """Return the clauses that hold most of the claim's words, with those words."""
    held = [(part, frozenset(i for i in words if statement.words[i] in part.words)) for part in unit.parts]
    best = max((len(h) for _, h in held), default=0)
    return [(part, h) for part, h in held if len(h) == best > 0]


def _denied(statement: Statement, unit: Unit, words: frozenset[int], *, amounts_agree: bool) -> bool:
    """Say whether the unit denies a word that the claim states, or states what the claim denies.

    Only the clause is read that holds most of the claim's words; numbers that agree outweigh a denial.
    """
    if len(statement.words) < _LEAST_WORDS or (amounts_agree and not statement.denies_amount):
        return False
    if statement.denied or statement.denies_amount:
        near = len(words) >= _DENIAL_SHARE * len(statement.words)
        return near and not unit.denies and not unit.free
    if not unit.denies:
        return False
    nearest = _nearest_parts(statement, unit, words)
    if not nearest or len(nearest[0][1]) < _DENIAL_SHARE * len(statement.words):
        return False
    return all(any(statement.words[i] in part.denied for i in h) for part, h in nearest)


def denied_by_prefix(statement: Statement, unit: Unit, words: frozenset[int]) -> bool:
    """Say whether the unit has a word that the statement does not, and that differs from one of its by a prefix alone.

    `words`: the statement's words that stand in the unit. "refundable" and "nonrefundable" are such words.
    """
    missing = [word for i, word in enumerate(statement.words) if i not in words]
    return negated_form_among(missing, unit.words) or negated_form_among(unit.order, WordSet(missing))


def amounts_contradict(statement: Statement, unit: Unit, *, found: frozenset[int], complete: bool) -> bool:
    """Say whether a unit has another number or date than the statement, or sets the other bound.

    `found`: the statement's numbers that stand in the sources; `complete`: all its numbers and dates stand there.
    """
    if not complete and (_other_number(statement, unit, found) or _other_date(statement, unit)):
        return True
    return _other_bound(statement, unit)


def words_contradict(statement: Statement, unit: Unit, words: frozenset[int], *, complete: bool) -> bool:
    """Say whether a unit denies the statement, or its nearest clauses stand on the other side of an opposition.

    `words`: the statement's words that stand in the unit; `complete`: all its numbers and dates stand in the sources.
    """
    amounts_agree = complete and bool(statement.amounts.numbers or statement.amounts.dates)
    if _denied(statement, unit, words, amounts_agree=amounts_agree):
        return True
    nearest = _nearest_parts(statement, unit, words)
    return bool(nearest) and all(opposed(statement.poles, part.poles) for part, _ in nearest)
