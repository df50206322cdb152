"""Calendar dates in running text, written with digits or with a month's name in many languages."""

from __future__ import annotations

import calendar
from dataclasses import dataclass

import regex

from ragtriage.text.language import base_language
from ragtriage.text.late import late
from ragtriage.text.normalise import fold_digits

__all__ = ["Date", "dates_agree", "find_dates"]

_MONTHS = (
    r"jan(?:uary)?|январ[ья]\p{L}*|січ(?:ень|н\p{L}*)|қаңтар\p{L}*|januar|janvier|enero|gennaio|janeiro|ocak|stycznia",
    r"feb(?:ruary)?|феврал\p{L}*|лют(?:ий|ого|ому)|ақпан\p{L}*|februar|février|febrero|febbraio|fevereiro|şubat|lutego",
    r"mar(?:ch)?|март\p{L}*|берез(?:ень|н\p{L}*)|наурыз\p{L}*|märz|mars|marzo|março|mart|marca",
    r"apr(?:il)?|апрел\p{L}*|квіт(?:ень|н\p{L}*)|сәуір\p{L}*|avril|abril|aprile|nisan|kwietnia",
    r"may|ма[йяею]|трав(?:ень|н\p{L}*)|мамыр\p{L}*|mai|mayo|maggio|maio|mayıs|maja",
    r"jun[e]?|июн[ьяею]\p{L}*|черв(?:ень|н\p{L}*)|маусым\p{L}*|juni|juin|junio|giugno|junho|haziran|czerwca",
    r"jul[y]?|июл[ьяею]\p{L}*|лип(?:ень|н\p{L}*)|шілде\p{L}*|juli|juillet|julio|luglio|julho|temmuz|lipca",
    r"aug(?:ust)?|август\p{L}*|серп(?:ень|н\p{L}*)|тамыз\p{L}*|août|agosto|ağustos|sierpnia",
    r"sept?(?:ember)?|сентябр\p{L}*|верес(?:ень|н\p{L}*)|қыркүйек\p{L}*|septembre|septiembre|settembre|setembro|eylül",
    r"oct(?:ober)?|октябр\p{L}*|жовт(?:ень|н\p{L}*)|қазан\p{L}*|oktober|octobre|octubre|ottobre|outubro|ekim|października",
    r"nov(?:ember)?|ноябр\p{L}*|листопад\p{L}*|қараша\p{L}*|novembre|noviembre|novembro|kasım|listopada",
    r"dec(?:ember)?|декабр\p{L}*|груд(?:ень|н\p{L}*)|желтоқсан\p{L}*|dezember|décembre|diciembre|dicembre|dezembro|aralık",
)
_NAME = "(?:" + "|".join(f"(?P<m{i}>(?:{pattern})(?![\\p{{L}}\\p{{M}}]))" for i, pattern in enumerate(_MONTHS, 1)) + ")"
_GAP = r"[ \u00a0\u202f\t]{1,3}"
_DAY = r"(?<![\p{L}\p{Nd}.,])(?P<day>\d{1,2})(?:st|nd|rd|th|-?(?:го|е|ші|шы))?\.?"
_YEAR = (
    r"(?P<year>[12]\d{3})(?![\p{L}\p{Nd}]|[.,]\d)"
    rf"(?:{_GAP}(?:год[ауе]?|року|рік|г|р|жылы|жылғы|ж)(?![\p{{L}}])\.?)?"
)
_YEAR_KK = r"(?<![\p{L}\p{Nd}.,])(?P<year>[12]\d{3})"
_MONTH_FIRST = (
    rf"(?<![\p{{L}}\p{{M}}]){_NAME}\.?{_GAP}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"(?![\p{{L}}\p{{Nd}}]|[.,:]\d|(?:{_GAP})?%)(?:,?{_GAP}{_YEAR})?"
)
_NAMED = (
    rf"{_YEAR_KK}{_GAP}(?:жылғы|жылдың|ж\.){_GAP}(?P<day>\d{{1,2}}){_GAP}{_NAME}",
    rf"{_DAY}{_GAP}(?:of{_GAP}|de{_GAP})?{_NAME}\.?(?:,?{_GAP}(?:de{_GAP})?{_YEAR})?",
    _MONTH_FIRST,
    rf"(?<![\p{{L}}\p{{M}}]){_NAME}\.?,?{_GAP}(?:de{_GAP})?{_YEAR}",
    rf"{_YEAR_KK}{_GAP}(?:жылғы|жылдың|ж\.){_GAP}{_NAME}",
)
_NAMED_PATTERNS = tuple(late(pattern, regex.IGNORECASE) for pattern in _NAMED)
_DIGITS = tuple(
    regex.compile(pattern)
    for pattern in (
        r"(?<![\p{L}\p{Nd}.,/-])(?P<year>[12]\d{3})(?P<s>[-/.])(?P<a>\d{1,2})(?P=s)(?P<b>\d{1,2})(?![\p{Nd}]|[-/]\d)",
        r"(?<![\p{L}\p{Nd}.,/-])(?P<a>\d{1,2})(?P<s>[./-])(?P<b>\d{1,2})(?P=s)(?P<year>[12]\d{3}|\d{2})(?![\p{Nd}]|[-/]\d)",
        r"(?P<year>[12]\d{3})\s?[年년]\s?(?P<a>\d{1,2})\s?[月월](?:\s?(?P<b>\d{1,2})\s?[日일])?",
    )
)
_CENTURY = 2000
_MONTHS_IN_YEAR = 12


@dataclass(frozen=True, slots=True)
class Date:
    """A date at [start, end): the readings it may have as (year, month, day); a part that is not written is None."""

    text: str
    start: int
    end: int
    readings: tuple[tuple[int | None, int, int | None], ...]


def _valid(year: int | None, month: int, day: int | None) -> bool:
    if not 1 <= month <= _MONTHS_IN_YEAR or (year is not None and year < 1):
        return False
    return day is None or 1 <= day <= calendar.monthrange(year or _CENTURY, month)[1]


def dates_agree(first: Date, second: Date) -> bool:
    """Say whether two dates can be the same day; a part that one does not write may be anything.

    >>> dates_agree(find_dates("1 марта")[0], find_dates("2026-03-01")[0])
    True
    """
    return any(
        all(a == b for a, b in zip(one, other, strict=True) if a is not None and b is not None)
        for one in first.readings
        for other in second.readings
    )


def _by_digits(match: regex.Match[str], language: str | None) -> list[tuple[int | None, int, int | None]]:
    groups = match.groupdict()
    year, a, b = int(groups["year"]), int(groups["a"]), groups["b"]
    if len(groups["year"]) == 2:  # noqa: PLR2004 - 12.03.26
        year += _CENTURY
    if match.re is not _DIGITS[1]:
        return [(year, a, int(b) if b else None)]
    day_first, month_first = (year, int(b or 0), a), (year, a, int(b or 0))
    if groups["s"] != "/":
        return [day_first]
    if language == "en":
        return [month_first, day_first]
    return [day_first] if language else [day_first, month_first]


def _by_name(match: regex.Match[str]) -> list[tuple[int | None, int, int | None]]:
    groups = match.groupdict()
    month = next(i for i in range(1, 13) if groups[f"m{i}"])
    year, day = groups.get("year"), groups.get("day")
    return [(int(year) if year else None, month, int(day) if day else None)]


def find_dates(text: str, *, language: str | None = None) -> list[Date]:
    """Return the dates of a text in order.

    `03/04/2026` is the day first, but in English, and where the language is not known, either.

    >>> for written in ("1 марта 2026 года", "2026 жылғы 1 наурыз", "March 1, 2026", "01.03.2026", "1 березня"):
    ...     print(find_dates(written)[0].readings)
    ((2026, 3, 1),)
    ((2026, 3, 1),)
    ((2026, 3, 1),)
    ((2026, 3, 1),)
    ((None, 3, 1),)
    """
    folded = fold_digits(text)
    base = base_language(language)
    found: list[Date] = []
    for pattern in (*_DIGITS, *_NAMED_PATTERNS):
        for match in pattern.finditer(folded):
            start, end = match.span()
            if any(start < d.end and d.start < end for d in found):
                continue
            readings = _by_digits(match, base) if pattern in _DIGITS else _by_name(match)
            valid = tuple(dict.fromkeys(r for r in readings if _valid(*r)))
            if valid:
                found.append(Date(text[start:end], start, end, valid))
    return sorted(found, key=lambda d: d.start)
