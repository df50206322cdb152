"""Numbers in running text as values with units, in the digits of every script and in words.

The language decides what `1.250` means; without it an ambiguous form is uncertain: no match and no contradiction.
Numbers glued to letters (`d3`, `COVID19`) and superscripts are no numbers; numbers inside dates belong to the dates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

import regex

from ragtriage.text.language import base_language, guess_language
from ragtriage.text.normalise import fold_digits
from ragtriage.text.number_words import spelled_numbers
from ragtriage.text.separators import read_digits
from ragtriage.text.spans import Spans
from ragtriage.text.units import currency_before, magnitude_after, unit_after

__all__ = ["Agreement", "Number", "compare", "find_numbers", "same_unit"]

Agreement = Literal["equal", "different", "uncertain"]

_SPACE = r"[ \u00a0\u202f\u2009]"
_WIDE = str.maketrans({"，": ",", "．": "."})
_DIGITS = regex.compile(
    rf"(?<![\p{{L}}\p{{M}}\p{{Nd}}_@/])(?<!\p{{Nd}}[.,٫٬:])(?<sign>(?<![^\s(\[{{=:<>\"'«|])[-−–](?=\d))?"
    rf"(?<body>\d{{1,3}}(?:{_SPACE}\d{{3}}(?!\d))+(?:[.,٫]\d+)?(?![.,٫٬]?\d)"
    r"|\d{1,3}(?: , \d{3}(?!\d))+(?: \. \d+)?|\d+ \. \d+(?!\d)"  # text cut into tokens by a tool: 1 , 600
    rf"|\d+(?:[.,٫٬'’]\d+)*)"
    r"(?<clock>:[0-5]\d(?!\d))?"
)
_GLUED = regex.compile(r"[\p{L}\p{M}_]")
_ORDINAL = regex.compile(
    r"(?:st|nd|rd|th)\b|[-‑–](?:й|я|е|го|му|м|х|ю|ти|ми|ші|шы|тен|лет\p{L}*|мес\p{L}*|днев\p{L}*|дн\p{L}*|річ\p{L}*|процент\p{L}*)\b",
    regex.IGNORECASE,
)
_LINK = regex.compile(rf"{_SPACE}?(?:[-–—−/,]|to|or|and|до|или|и|або|чи|та|й|мен|бен|пен|және|немесе|не){_SPACE}?")
_SHORT_YEAR = regex.compile(rf"{_SPACE}?г\.?")
_THOUSAND = 1000
_YEAR_UNIT = "year"
_YEARS = (Decimal(1000), Decimal(2999))


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it stands at [start, end): the values it may have, and its unit where one is written.

    `values` holds one value, two where the form is ambiguous, none for a code such as `3.2.1`, which is compared as
    `spelling`. `unit`: `%`, a currency code, `day` ..., `clock` for 9:30 in minutes, `calendar year` for 2026 года.
    `body` is the span without unit and magnitude; `in_words`: written in words.
    """

    text: str
    start: int
    end: int
    values: tuple[Decimal, ...]
    unit: str | None
    spelling: str
    body: tuple[int, int]
    in_words: bool = False

    @property
    def uncertain(self) -> bool:
        """Whether it has more than one reading."""
        return len(self.values) > 1


def same_unit(first: str | None, second: str | None) -> bool:
    """Say whether two units may mean the same; an unwritten one may be any."""
    if first == second or None in (first, second):
        return True
    return {first, second} == {_YEAR_UNIT, "calendar year"}


def compare(first: Number, second: Number) -> Agreement:
    """Compare two numbers as values with units.

    >>> ru, en = find_numbers("5 000 ₸", language="ru")[0], find_numbers("₸5,000", language="en")[0]
    >>> compare(ru, en), compare(find_numbers("1.250")[0], find_numbers("1250")[0])
    ('equal', 'uncertain')
    """
    if not same_unit(first.unit, second.unit):
        return "different"
    if not first.values or not second.values or (first.uncertain and first.spelling == second.spelling):
        return "equal" if first.spelling == second.spelling else "different"
    shared = set(first.values) & set(second.values)
    if not shared:
        return "different"
    return "uncertain" if first.uncertain or second.uncertain else "equal"


def _finish(
    folded: str, text: str, body: tuple[int, int], values: tuple[Decimal, ...], *, spelling: str, in_words: bool = False
) -> Number:
    """Read currency, magnitude and unit around the digits at `body`."""
    start, end = body
    before = None if in_words else currency_before(folded, start)
    if before is not None:
        start = before[1]
    factor = Decimal(1)
    while (found := magnitude_after(folded, end, money=before is not None)) is not None:
        factor, end = factor * found[0], found[1]
    scaled = tuple(Decimal(f"{value:f}") * factor for value in values)
    after = unit_after(folded, end)
    unit = before[0] if before else None
    if after is not None and (unit is None or after[0] == unit):
        unit, end = after
    written_year = unit == _YEAR_UNIT or (unit == "g" and _SHORT_YEAR.fullmatch(folded, body[1], end))
    if written_year and len(scaled) == 1 and _YEARS[0] <= scaled[0] <= _YEARS[1] and not in_words:
        unit = "calendar year"
    return Number(text[start:end], start, end, scaled, unit, spelling, body, in_words)


def _digit_numbers(text: str, folded: str, language: str | None, taken: Spans) -> list[Number]:
    found = []
    for match in _DIGITS.finditer(folded):
        start, end = match.start(), match.end("body")
        if taken.overlap(start, end):
            continue
        written = match["body"]
        if match["clock"] and written.isdigit() and len(written) <= len("24"):
            minutes = Decimal(written) * 60 + Decimal(match["clock"][1:])
            span = (start, match.end())
            found.append(Number(text[start : match.end()], *span, (minutes,), "clock", written + match["clock"], span))
            continue
        known = _ORDINAL.match(folded, end) or unit_after(folded, end) or magnitude_after(folded, end)
        if _GLUED.match(folded, end) and not known:
            continue
        sign = -1 if match["sign"] else 1
        values = tuple(sign * v for v in read_digits(written, language=language))
        spelling = f"-{written}" if match["sign"] else written
        found.append(_finish(folded, text, (start, end), values, spelling=spelling))
    return found


def _merge_magnitudes(numbers: Sequence[Number], text: str) -> list[Number]:
    """Join `1 млн 200 тыс.` into one number: adjacent, falling magnitudes, the first one without a unit."""
    merged: list[Number] = []
    for number in numbers:
        last = merged[-1] if merged else None
        if (
            last is not None
            and len(last.values) == len(number.values) == 1
            and last.unit is None
            and last.end > last.body[1]
            and last.values[0] % _THOUSAND == 0
            and 0 < number.values[0] < last.values[0]
            and (number.end > number.body[1] or number.values[0] < _THOUSAND)
            and text[last.end : number.start].strip() == ""
            and "\n" not in text[last.end : number.start]
        ):
            span = (last.start, number.end)
            spelling = f"{last.spelling} {number.spelling}"
            values = (last.values[0] + number.values[0],)
            merged[-1] = Number(text[slice(*span)], *span, values, number.unit, spelling, span, last.in_words)
        else:
            merged.append(number)
    return merged


def _share_units(numbers: Sequence[Number], text: str) -> list[Number]:
    """Give `3` and `6` of "3, 6 и 12 месяцев" the unit of the last one."""
    shared = list(numbers)
    for i in range(len(shared) - 2, -1, -1):
        here, after = shared[i], shared[i + 1]
        if here.unit is None and after.unit is not None and _LINK.fullmatch(text, here.end, after.start):
            unit = after.unit
            if unit == "calendar year" and not (here.values and _YEARS[0] <= here.values[0] <= _YEARS[1]):
                continue
            shared[i] = replace(here, unit=unit)
    return shared


def find_numbers(
    text: str, *, language: str | None = None, spelled: bool = True, taken: Iterable[tuple[int, int]] = ()
) -> list[Number]:
    """Return the numbers of a text in order; spans in `taken` (dates) are left out, `spelled` reads words too.

    >>> [(str(n.values[0]), n.unit) for n in find_numbers("Комиссия 1% от остатка, минимум 5 000 ₸", language="ru")]
    [('1', '%'), ('5000', 'KZT')]
    >>> [(str(n.values[0]), n.unit) for n in find_numbers("الوديعة ٣٤ يورو")]
    [('34', 'EUR')]
    >>> [str(n.values[0]) for n in find_numbers("result: −8, COVID19, x²")]
    ['-8']
    """
    folded = fold_digits(text).translate(_WIDE)
    blocked = Spans(taken)
    numbers = _digit_numbers(text, folded, language, blocked)
    if spelled:
        used = Spans.of(numbers)
        guessed = base_language(language) or guess_language(text)
        for word in spelled_numbers(text, language=guessed):
            if not blocked.overlap(word.start, word.end) and not used.overlap(word.start, word.end):
                spelling = text[word.start : word.end]
                span = (word.start, word.end)
                numbers.append(_finish(folded, text, span, (word.value,), spelling=spelling, in_words=True))
        numbers.sort(key=lambda n: n.start)
    return _share_units(_merge_magnitudes(numbers, text), text)
