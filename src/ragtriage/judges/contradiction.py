"""Whether the sentence that is nearest to a claim speaks against it."""

from __future__ import annotations

import regex

from ragtriage.judges.oppositions import bound_before, opposed
from ragtriage.judges.sources import Unit
from ragtriage.judges.statements import Statement, must_be_found
from ragtriage.text.content import same_word
from ragtriage.text.dates import dates_agree
from ragtriage.text.normalise import fold_text
from ragtriage.text.numbers import Number, compare
from ragtriage.text.units import CURRENCIES

__all__ = ["contradicts"]

_NEXT_WORD = regex.compile(r"[ \u00a0\u202f-]+(?P<word>[\p{L}\p{M}]{3,})")
_DENIAL_SHARE = 0.6


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


def _denied(statement: Statement, unit: Unit, words: frozenset[int]) -> bool:
    """Say whether the clause that holds most of the claim's words denies where the claim does not, or vice versa."""
    if not unit.parts or not words:
        return False
    counts = [sum(statement.words[i] in part.words for i in words) for part in unit.parts]
    best = max(counts)
    nearest = [part for part, count in zip(unit.parts, counts, strict=True) if count == best]
    return best >= _DENIAL_SHARE * len(statement.words) and all(part.denies != statement.denies for part in nearest)


def contradicts(
    statement: Statement, unit: Unit, words: frozenset[int], *, found: frozenset[int], complete: bool
) -> bool:
    """Say whether a unit speaks against the statement.

    `words`: the statement's words that stand in the unit; `found`: its numbers that stand in the sources; `complete`:
    all its numbers and dates stand there.
    """
    if not complete and (_other_number(statement, unit, found) or _other_date(statement, unit)):
        return True
    if _other_bound(statement, unit):
        return True
    return bool(statement.words) and (_denied(statement, unit, words) or opposed(statement.poles, unit.poles))
