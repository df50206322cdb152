"""Numbers written as words in English, Russian, Ukrainian and Kazakh, in the forms that inflection gives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

import regex

from ragtriage.text.normalise import fold_text

__all__ = ["SpelledNumber", "is_number_word", "spelled_numbers"]

_EN = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
}  # fmt: skip
_RU: dict[str, int | Decimal] = {
    "ноль": 0, "нуля": 0, "один": 1, "одна": 1, "одно": 1, "одного": 1, "одной": 1, "одному": 1, "одним": 1,
    "одном": 1, "одну": 1, "два": 2, "две": 2, "двух": 2, "двум": 2, "двумя": 2, "три": 3, "трёх": 3, "трех": 3,
    "трём": 3, "трем": 3, "тремя": 3, "четыре": 4, "четырёх": 4, "четырех": 4, "четырём": 4, "четырем": 4,
    "четырьмя": 4, "пять": 5, "пяти": 5, "пятью": 5, "шесть": 6, "шести": 6, "шестью": 6, "семь": 7, "семи": 7,
    "семью": 7, "восемь": 8, "восьми": 8, "восемью": 8, "девять": 9, "девяти": 9, "девятью": 9, "десять": 10,
    "десяти": 10, "десятью": 10, "одиннадцать": 11, "одиннадцати": 11, "двенадцать": 12, "двенадцати": 12,
    "тринадцать": 13, "тринадцати": 13, "четырнадцать": 14, "четырнадцати": 14, "пятнадцать": 15, "пятнадцати": 15,
    "шестнадцать": 16, "шестнадцати": 16, "семнадцать": 17, "семнадцати": 17, "восемнадцать": 18, "восемнадцати": 18,
    "девятнадцать": 19, "девятнадцати": 19, "двадцать": 20, "двадцати": 20, "тридцать": 30, "тридцати": 30,
    "сорок": 40, "сорока": 40, "пятьдесят": 50, "пятидесяти": 50, "шестьдесят": 60, "шестидесяти": 60,
    "семьдесят": 70, "семидесяти": 70, "восемьдесят": 80, "восьмидесяти": 80, "девяносто": 90, "девяноста": 90,
    "сто": 100, "ста": 100, "двести": 200, "двухсот": 200, "триста": 300, "трёхсот": 300, "трехсот": 300,
    "четыреста": 400, "четырёхсот": 400, "пятьсот": 500, "пятисот": 500, "шестьсот": 600, "шестисот": 600,
    "семьсот": 700, "семисот": 700, "восемьсот": 800, "восьмисот": 800, "девятьсот": 900, "девятисот": 900,
    "полтора": Decimal("1.5"), "полторы": Decimal("1.5"),
}  # fmt: skip
_UK: dict[str, int | Decimal] = {
    "нуль": 0, "один": 1, "одна": 1, "одне": 1, "одного": 1, "однієї": 1, "одному": 1, "одним": 1, "одну": 1,
    "два": 2, "дві": 2, "двох": 2, "двом": 2, "двома": 2, "три": 3, "трьох": 3, "трьом": 3, "трьома": 3, "чотири": 4,
    "чотирьох": 4, "чотирьом": 4, "п'ять": 5, "п'яти": 5, "п'ятьох": 5, "шість": 6, "шести": 6, "шістьох": 6, "сім": 7,
    "семи": 7, "сімох": 7, "вісім": 8, "восьми": 8, "дев'ять": 9, "дев'яти": 9, "десять": 10, "десяти": 10,
    "одинадцять": 11, "одинадцяти": 11, "дванадцять": 12, "дванадцяти": 12, "тринадцять": 13, "тринадцяти": 13,
    "чотирнадцять": 14, "чотирнадцяти": 14, "п'ятнадцять": 15, "п'ятнадцяти": 15, "шістнадцять": 16,
    "шістнадцяти": 16, "сімнадцять": 17, "сімнадцяти": 17, "вісімнадцять": 18, "вісімнадцяти": 18,
    "дев'ятнадцять": 19, "дев'ятнадцяти": 19, "двадцять": 20, "двадцяти": 20, "тридцять": 30, "тридцяти": 30,
    "сорок": 40, "сорока": 40, "п'ятдесят": 50, "п'ятдесяти": 50, "шістдесят": 60, "шістдесяти": 60, "сімдесят": 70,
    "сімдесяти": 70, "вісімдесят": 80, "вісімдесяти": 80, "дев'яносто": 90, "дев'яноста": 90, "сто": 100, "ста": 100,
    "двісті": 200, "двохсот": 200, "триста": 300, "трьохсот": 300, "чотириста": 400, "п'ятсот": 500, "п'ятисот": 500,
    "шістсот": 600, "сімсот": 700, "вісімсот": 800, "дев'ятсот": 900, "півтора": Decimal("1.5"),
}  # fmt: skip
_KK = {
    "нөл": 0, "бір": 1, "екі": 2, "үш": 3, "төрт": 4, "бес": 5, "алты": 6, "жеті": 7, "сегіз": 8, "тоғыз": 9, "он": 10,
    "жиырма": 20, "отыз": 30, "қырық": 40, "елу": 50, "алпыс": 60, "жетпіс": 70, "сексен": 80, "тоқсан": 90, "жүз": 100,
}  # fmt: skip
_LEXICONS: dict[str, Mapping[str, int | Decimal]] = {"en": _EN, "ru": _RU, "uk": _UK, "kk": _KK}


def is_number_word(word: str, language: str | None) -> bool:
    """Say whether a folded word is a number in a language; in one without a lexicon, whether it is an English one.

    >>> is_number_word("on", "en"), is_number_word("он", "kk"), is_number_word("он", "ru")
    (False, True, False)
    """
    return word in _LEXICONS.get(language or "", _EN)


_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['’ʼ][\p{L}\p{M}]+)*")
_GAP = regex.compile(r"[ \u00a0\u202f\t]+|-|[ \u00a0]and[ \u00a0]")
_HUNDRED, _TEN, _TWENTY = 100, 10, 20
_MULTIPLIES = frozenset({"hundred", "жүз"})


@dataclass(frozen=True, slots=True)
class SpelledNumber:
    """A number in words at [start, end); magnitudes (thousand, million) are read by `numbers`."""

    value: Decimal
    start: int
    end: int


def _join(total: Decimal, word: str, value: Decimal) -> Decimal | None:
    """Add a further word to a number in words, or None where it starts a new number ("two three")."""
    if word in _MULTIPLIES:
        return total * value if 0 < total < _TWENTY else None
    room = _HUNDRED if value >= _TEN else _TEN
    if value >= _HUNDRED or total == 0 or total % room or total != int(total):
        return None
    if value < _TEN and total % _HUNDRED == _TEN and not _kazakh(word):
        return None
    return total + value


def _kazakh(word: str) -> bool:
    return word in _KK


def spelled_numbers(text: str, *, language: str | None) -> Iterator[SpelledNumber]:
    """Yield the numbers written as words; languages other than en, ru, uk, kk have none.

    >>> [int(n.value) for n in spelled_numbers("two hundred and fifty or twenty-five", language="en")]
    [250, 25]
    >>> [int(n.value) for n in spelled_numbers("жиырма бес күн", language="kk")]
    [25]
    """
    lexicon = _LEXICONS.get(language or "")
    if lexicon is None:
        return
    start = end = -1
    total: Decimal | None = None
    for found in _WORD.finditer(text):
        word = fold_text(found[0])
        value = lexicon.get(word)
        if word == "and" and total is not None and total >= _HUNDRED:
            continue  # "two hundred and fifty"
        if value is not None and total is not None and _GAP.fullmatch(text, end, found.start()):
            joined = _join(total, word, Decimal(value))
            if joined is not None:
                total, end = joined, found.end()
                continue
        if total is not None:
            yield SpelledNumber(total, start, end)
            total = None
        if value is not None:
            total, start, end = Decimal(value), found.start(), found.end()
    if total is not None:
        yield SpelledNumber(total, start, end)
