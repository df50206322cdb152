"""Scores of cases packed for the page: a metric is a short list of its different outcomes and one string of places.

A metric is [name, level, flags, direction, unit, outcomes, column, worse, better]. An outcome is a text `value/support`
(scored), a number of a word (undefined, the reason), [number of a word] (failed) or null (the case has no score). Each
case has as many signs of the column as it takes to count the outcomes; a column of one outcome is empty.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, field
from typing import Any

from ragtriage.core.score import Failed, Outcome, Undefined, Value
from ragtriage.report.sections.case_scores import ScoreColumn
from ragtriage.report.wording import number, unit_sign

__all__ = ["ALPHABET", "Words", "metric_data", "signs", "width"]

# What neither JSON nor HTML writes longer than it is.
ALPHABET = "".join(char for char in string.printable if char.isprintable() and char not in "\"\\&<> '")
_DIRECTIONS = {"higher": 1, "lower": -1, "neither": 0}


@dataclass
class Words:
    """Texts, each held once and called by its number; number 0 is the empty text."""

    _numbers: dict[str, int] = field(default_factory=lambda: {"": 0})

    def __call__(self, text: str) -> int:
        """Return the number of a text."""
        return self._numbers.setdefault(text, len(self._numbers))

    @property
    def all(self) -> list[str]:
        """The texts in the order of their numbers."""
        return list(self._numbers)


def metric_data(column: ScoreColumn, words: Words) -> list[Any]:
    """Pack one metric."""
    row = column.row
    known: dict[Any, int] = {}
    places = [known.setdefault(_outcome(outcome, row.unit, words), len(known)) for outcome in column.outcomes]
    size = width(len(known))
    packed = "".join(signs(place, size) for place in places) if len(known) > 1 else ""
    found = [
        row.name,
        row.level or "",
        int(row.proxy),
        _DIRECTIONS[row.better],
        unit_sign(row.unit),
        [list(outcome) if isinstance(outcome, tuple) else outcome for outcome in known],
        packed,
    ]
    return [*found, list(column.worse), list(column.better)] if column.worse or column.better else found


def _outcome(outcome: Outcome | None, unit: str, words: Words) -> str | int | tuple[int] | None:
    match outcome:
        case None:
            return None
        case Value(value=value, support=support):
            return f"{number(value, unit=unit)}/{support}"
        case Undefined(reason=reason):
            return words(reason)
        case Failed(stage=stage, error=error, message=message):
            return (words(f"{stage}: {error}: {message}"),)


def width(many: int) -> int:
    """Return how many signs it takes to count so many."""
    size = 1
    while len(ALPHABET) ** size < many:
        size += 1
    return size


def signs(number: int, size: int) -> str:
    """Write a number in so many signs, the lowest first.

    >>> signs(10, 1), signs(88 + 10, 2)
    ('a', 'a1')
    """
    found = []
    for _ in range(size):
        number, sign = divmod(number, len(ALPHABET))
        found.append(ALPHABET[sign])
    return "".join(found)
