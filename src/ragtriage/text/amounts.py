"""The numbers and dates of a text read together, so that no number is taken out of the middle of a date."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragtriage.text.dates import Date, dates_agree, find_dates
from ragtriage.text.language import guess_language
from ragtriage.text.numbers import Agreement, Number, compare, find_numbers

__all__ = ["Amounts", "date_among", "number_among", "read_amounts"]


@dataclass(frozen=True, slots=True)
class Amounts:
    """The numbers and the dates of one text, each in order."""

    numbers: tuple[Number, ...]
    dates: tuple[Date, ...]


@functools.lru_cache(maxsize=8192)
def read_amounts(text: str, language: str | None = None) -> Amounts:
    """Read numbers and dates; `language` decides ambiguous forms, where None the text's own language is guessed.

    >>> found = read_amounts("С 1 марта 2026 года 5 000 ₸", "ru")
    >>> [d.text for d in found.dates], [n.text for n in found.numbers]
    (['1 марта 2026 года'], ['5 000 ₸'])
    """
    known = language or guess_language(text)
    dates = find_dates(text, language=known)
    numbers = find_numbers(text, language=known, taken=[(d.start, d.end) for d in dates])
    return Amounts(tuple(numbers), tuple(dates))


def number_among(number: Number, sources: Iterable[Amounts]) -> Agreement:
    """Say whether a number stands in any source: equal, else uncertain where a reading agrees, else different.

    A year also stands in a date of that year.

    >>> wanted = read_amounts("in 2012").numbers[0]
    >>> number_among(wanted, [read_amounts("landed on 6 August 2012")])
    'equal'
    """
    best: Agreement = "different"
    for source in sources:
        for other in source.numbers:
            found = compare(number, other)
            if found == "equal":
                return "equal"
            if found == "uncertain":
                best = "uncertain"
        if number.unit in {None, "calendar year"} and any(
            reading[0] in number.values for date in source.dates for reading in date.readings
        ):
            return "equal"
    return best


def date_among(date: Date, sources: Sequence[Amounts]) -> bool:
    """Say whether a date stands in any source, as far as both write it out.

    >>> date_among(read_amounts("1 марта").dates[0], [read_amounts("01.03.2026")])
    True
    """
    return any(dates_agree(date, other) for source in sources for other in source.dates)
