"""Currencies, percent, units of time and measure, and the magnitudes written beside a number; data with one look-up."""

from __future__ import annotations

from decimal import Decimal

import regex

from ragtriage.text.late import late

__all__ = ["CURRENCIES", "MAGNITUDES", "currency_before", "magnitude_after", "unit_after"]

_UNITS: dict[str, str] = {
    "%": r"[%٪％]|проц\.|процент\p{L}*|відсот\p{L}*|пайыз\p{L}*|per ?cent\b|percent\b|pct\b",
    "KZT": r"[₸〒]|тенге\b|теңге\p{L}*|tenge\b|тг\b\.?|kzt\b",
    "RUB": r"₽|руб(?:л\p{L}*|\b\.?)|r(?:o?u)bles?\b|rub\b|rur\b",
    "UAH": r"₴|грн\b\.?|гривн\p{L}*|гривень\b|гривен\b|hryvnias?\b|uah\b",
    "USD": r"(?:us)?\$|дол(?:л)?ар\p{L}*(?: сша\b)?|ақш доллар\p{L}*|(?:us )?dollars?\b|usd\b",
    "EUR": r"€|евро\b|євро\b|еуро\p{L}*|euros?\b|eur\b|يورو|यूरो",
    "GBP": r"£|фунт\p{L}*(?: стерл\p{L}*)?|pounds? sterling\b|pounds?\b|gbp\b",
    "CNY": r"юан\p{L}*|yuan\b|renminbi\b|cny\b|rmb\b|元|人民币",
    "JPY": r"¥|иен\p{L}*|yen\b|jpy\b|円",
    "TRY": r"₺|лир\p{L}*|turkish liras?\b|liras?\b|try\b",
    "INR": r"₹|рупи\p{L}*|rupees?\b|inr\b|रुपये|रुपए",
    "KGS": r"сом(?:ов|а)?\b|kgs\b", "UZS": r"сум(?:ов)?\b|uzs\b", "CHF": r"chf\b|франк\p{L}*",
    "AED": r"aed\b|dirhams?\b",
    "PLN": r"zł\b|zlot\p{L}*|pln\b",
    "day": r"дн(?:я|ей|ям|ями|ях|і|ів|ем|ём|ень)\b|день\b|дн\.|days?\b|күн\p{L}*|діб\b|доб[аиу]\b|сут(?:ки|ок)\b|天",
    "week": r"недел\p{L}*|тиж(?:день|н\p{L}*)|weeks?\b|апта\p{L}*",
    "month": r"месяц\p{L}*|мес\b\.?|місяц\p{L}*|міс\b\.?|months?\b|mos?\.|айд?(?:ан|ға|дан|да|лық|дың|ды|ы)?\b|个月",
    "year": r"год(?:а|у|ом|ы|ов|ах|ам|е|овых)?\b|лет\b|гг\b\.?|рок(?:и|ів|у|ом|ах|ами|ові|овий)?\b|рік\b|р\.|years?\b"
            r"|yrs?\b|жыл\p{L}*|年|साल",
    "hour": r"час(?:а|ов|у|ам|ы|ами|ах|ом)?\b|ч\b\.?|годин\p{L}*|год\.|hours?\b|hrs?\b|h\b|сағат\p{L}*|小时|時間",
    "minute": r"минут\p{L}*|мин\b\.?|хвилин\p{L}*|хв\b\.?|minutes?\b|mins?\b|分钟",
    "second": r"секунд\p{L}*|сек\b\.?|seconds?\b|secs?\b",
    "time": r"раз(?:а|и|ів)?\b|times\b|рет\b|times? ",
    "kg": r"кг\b\.?|килограмм\p{L}*|кілограм\p{L}*|kg\b|kilograms?\b|kilos?\b",
    "g": r"гр?\b\.?|грамм\p{L}*|грам(?:и|ів|а)?\b|(?-i:g)\b|grams?\b", "mg": r"мг\b|mg\b|milligrams?\b",
    "t": r"тонн\p{L}*|tonnes?\b|tons?\b",
    "km": r"км\b|километр\p{L}*|кілометр\p{L}*|шақырым\p{L}*|km\b|kilomet(?:re|er)s?\b",
    "mi": r"miles?\b|мил[яьи]\p{L}*",
    "m2": r"кв\. ?м\b|м²|м2\b|m²|m2\b|sq\.? ?m\b|square met(?:re|er)s?\b|ш\. ?м\b",
    "m": r"м\b|метр\p{L}*|m\b|met(?:re|er)s?\b", "cm": r"см\b|сантиметр\p{L}*|cm\b|centimet(?:re|er)s?\b",
    "mm": r"мм\b|миллиметр\p{L}*|міліметр\p{L}*|mm\b|millimet(?:re|er)s?\b",
    "l": r"л\b|литр\p{L}*|літр\p{L}*|l\b|lit(?:re|er)s?\b", "ml": r"мл\b|ml\b|миллилитр\p{L}*",
    "°C": r"°\s?[cс]\b", "°F": r"°\s?f\b",
    "GB": r"гб\b|gb\b|gigabytes?\b", "MB": r"мб\b|mb\b|megabytes?\b", "TB": r"тб\b|tb\b",
}  # fmt: skip

CURRENCIES = frozenset(
    {"KZT", "RUB", "UAH", "USD", "EUR", "GBP", "CNY", "JPY", "TRY", "INR", "KGS", "UZS", "CHF", "AED", "PLN"}
)
"""The units that are money."""

_QUALIFIER = (
    r"(?:(?:рабоч|календарн|банковск|полн|робоч|банківськ|повн|business|working|calendar|banking|full|consecutive|жұмыс"
    r"|күнтізбелік|банктік|american|u\.?s\.?|казахстанск|казахських|українськ|российск"
    r"|қазақстан)\p{L}*\.?[ \u00a0\u202f])"
)
_SPACE = r"[ \t\u00a0\u202f\u2009]"
_UNIT = late(
    rf"(?:{_SPACE}{{0,2}}[-‑]?{_SPACE}?{_QUALIFIER}{{0,2}})(?:"
    + "|".join(f"(?P<u{i}>{pattern})" for i, pattern in enumerate(_UNITS.values()))
    + ")",
    regex.IGNORECASE,
)
_NAMES = tuple(_UNITS)
_SYMBOL = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₸": "KZT", "₽": "RUB", "₴": "UAH", "₹": "INR", "₺": "TRY"}
_BEFORE = late(
    rf"(?:(?P<symbol>(?:US)?\$|[€£¥₸₽₴₹₺])|(?<![\p{{L}}])(?P<code>{'|'.join(sorted(CURRENCIES))})){_SPACE}?$"
)

_MAGNITUDES: dict[str, str] = {
    "3": r"тыс(?:яч\p{L}*|\b\.?)|тисяч\p{L}*|тис\b\.?|мың\p{L}*|thousands?\b|k\b|ألف|आلاف|हज़ार|हजार|千",
    "4": r"万|萬", "5": r"lakhs?\b|लाख", "7": r"crores?\b|करोड़",
    "6": r"млн\b\.?|миллион\p{L}*|мільйон\p{L}*|millions?\b|mln\b|mn\b|مليون",
    "8": r"亿|億",
    "9": r"млрд\b\.?|миллиард\p{L}*|мільярд\p{L}*|billions?\b|bln\b|bn\b|مليار",
    "12": r"трлн\b\.?|триллион\p{L}*|трильйон\p{L}*|trillions?\b|trn\b",
}  # fmt: skip
MAGNITUDES = tuple(int(exponent) for exponent in _MAGNITUDES)
"""The powers of ten that have a name."""
_MAGNITUDE = late(
    rf"{_SPACE}?[-‑]?(?:" + "|".join(f"(?P<e{e}>{pattern})" for e, pattern in _MAGNITUDES.items()) + ")",
    regex.IGNORECASE,
)
_MONEY_MAGNITUDE = late(r"(?P<e6>m)\b|(?P<e9>b)\b", regex.IGNORECASE)


def unit_after(text: str, at: int) -> tuple[str, int] | None:
    """Return the unit that is written from `at` on, and where it ends; None where none is.

    >>> unit_after("5 рабочих дней", 1)
    ('day', 14)
    """
    found = _UNIT.match(text, at)
    if found is None:
        return None
    return _NAMES[int(str(found.lastgroup)[1:])], found.end()


def currency_before(text: str, at: int) -> tuple[str, int] | None:
    """Return the currency that is written right before `at`, and where it starts.

    >>> currency_before("a fee of $5", 10)
    ('USD', 9)
    """
    start = max(0, at - 5)
    found = _BEFORE.search(text[start:at])
    if found is None:
        return None
    name = found["code"] or _SYMBOL[found["symbol"][-1]]
    return name, start + found.start()


def magnitude_after(text: str, at: int, *, money: bool = False) -> tuple[Decimal, int] | None:
    """Return the magnitude (thousand, млн, мың ...) written from `at` on as a factor, and where it ends.

    `money`: a currency stands before the number, so a bare `m` or `b` is million or billion.

    >>> magnitude_after("2,5 млн", 3)
    (Decimal('1E+6'), 7)
    """
    found = _MAGNITUDE.match(text, at) or (_MONEY_MAGNITUDE.match(text, at) if money else None)
    if found is None:
        return None
    return Decimal(1).scaleb(int(str(found.lastgroup)[1:])), found.end()
