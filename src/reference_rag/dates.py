"""The day that a question names, in English, Russian, Ukrainian and Kazakh."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

import regex

__all__ = ["day_in"]

# A month is recognised by how its name begins; Ukrainian and Kazakh names share no beginning with the Russian ones
# that would name another month ("лип" is July in Ukrainian, "март" March in Russian).
_BEGINNINGS: tuple[tuple[str, ...], ...] = (
    ("january", "jan", "январ", "січ", "қаңтар"),
    ("february", "feb", "феврал", "лют", "ақпан"),
    ("march", "mar", "март", "берез", "наурыз"),
    ("april", "apr", "апрел", "квіт", "сәуір"),
    ("may", "май", "мая", "мае", "трав", "мамыр"),
    ("june", "jun", "июн", "черв", "маусым"),
    ("july", "jul", "июл", "лип", "шілде"),
    ("august", "aug", "август", "серп", "тамыз"),
    ("september", "sept", "sep", "сентябр", "верес", "қыркүйек"),
    ("october", "oct", "октябр", "жовт", "қазан"),
    ("november", "nov", "ноябр", "листопад", "қараша"),
    ("december", "dec", "декабр", "груд", "желтоқсан"),
)
_WHOLE_WORDS = frozenset({"may", "mar", "jan", "feb", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"})

_ISO = regex.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_POINTS = regex.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
_YEAR = r"(?P<year>(?:19|20)\d{2})"
_MONTH = r"(?P<month>\p{L}{3,})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|-?го)?"
_WRITTEN = tuple(
    regex.compile(form, regex.IGNORECASE)
    for form in (
        rf"(?<!\d){_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}(?!\d)",
        rf"(?<!\p{{L}}){_MONTH}\s+{_DAY},?\s+{_YEAR}(?!\d)",
        rf"{_YEAR}\s+(?:жыл\p{{L}}*)\s+{_DAY}\s+{_MONTH}",
        rf"{_YEAR}\s+(?:жыл\p{{L}}*)\s+{_MONTH}",
        rf"(?<!\p{{L}}|\d\s){_MONTH},?\s+(?:of\s+)?{_YEAR}(?!\d)",
    )
)


def day_in(text: str) -> date | None:
    """Return the first day that a text names, of a month without a day its last one; None where it names none.

    The last day, because who asks about a month means what held in it, and of two versions the later one held longer.

    >>> day_in("What did it cost on 1 March 2026?"), day_in("Какая ставка была в марте 2025 года?")
    (datetime.date(2026, 3, 1), datetime.date(2025, 3, 31))
    """
    found = [(match.start(), day) for match, day in _numeric(text) if day is not None]
    for form in _WRITTEN:
        for match in form.finditer(text):
            month = _month(match["month"])
            day = _valid(int(match["year"]), month, match.groupdict().get("day")) if month else None
            if day is not None:
                found.append((match.start(), day))
        if found:
            break
    return min(found)[1] if found else None


def _numeric(text: str) -> list[tuple[regex.Match[str], date | None]]:
    iso = [(m, _valid(int(m[1]), int(m[2]), m[3])) for m in _ISO.finditer(text)]
    return iso + [(m, _valid(int(m[3]), int(m[2]), m[1])) for m in _POINTS.finditer(text)]


def _month(word: str) -> int | None:
    name = word.casefold()
    for number, beginnings in enumerate(_BEGINNINGS, start=1):
        if any(name == b if b in _WHOLE_WORDS else name.startswith(b) for b in beginnings):
            return number
    return None


def _valid(year: int, month: int, day: str | None) -> date | None:
    if not date.min.year <= year <= date.max.year or not 1 <= month <= 12:  # noqa: PLR2004 - months
        return None
    last = calendar.monthrange(year, month)[1]
    number = last if day is None else int(day)
    return date(year, month, 1) + timedelta(days=number - 1) if 1 <= number <= last else None
