"""Personal data that code can be sure of: by form and, where there is one, by the checksum. No model, no list of names.

What has a checksum is found only where it holds; phone numbers are found by how they are written. Names and addresses
need a model (the extra `pii`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

import regex

from ragtriage.core.label_views import LabelledSpan
from ragtriage.text.normalise import fold_digits

__all__ = ["find_personal_data", "luhn"]

_CARD = "card"
_GAP = r"[ \u00a0\u202f\u2009-]?"  # what may stand between digits
_EDGE_BEFORE, _EDGE_AFTER = r"(?<![\p{L}\p{N}+])", r"(?![\p{L}\p{N}])"
_EMAIL = regex.compile(
    r"(?<![\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-])[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}{2,24}(?![\p{L}\p{N}])"
)
_DIGITS = regex.compile(rf"{_EDGE_BEFORE}\d(?:{_GAP}\d){{7,18}}{_EDGE_AFTER}")
_SUM = regex.compile(r"\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3})+")  # how amounts are written, and no number of a person
_IBAN = regex.compile(rf"{_EDGE_BEFORE}[A-Z]{{2}}\d\d(?:[ \u00a0]?[A-Z0-9]){{11,30}}{_EDGE_AFTER}")
_SNILS = regex.compile(rf"{_EDGE_BEFORE}\d{{3}}[- ]?\d{{3}}[- ]?\d{{3}}[- ]?\d\d{_EDGE_AFTER}")
_PHONE = regex.compile(
    r"(?<![\p{L}\p{N}])(?:"
    rf"\+\d(?:{_GAP}[()]?{_GAP}\d){{7,14}}"  # international
    rf"|8{_GAP}\(?(?:[3-9]\d\d)\)?{_GAP}\d{{3}}{_GAP}\d\d{_GAP}\d\d"  # Russia and Kazakhstan
    rf"|\(?0[3-9]\d\)?{_GAP}\d{{3}}{_GAP}\d\d{_GAP}\d\d"  # Ukraine
    r")(?![\p{L}\p{N}])"
)
# First digits and lengths of the card schemes; the longest first digits that fit decide.
_CARDS: tuple[tuple[range, tuple[int, ...]], ...] = (
    (range(4, 5), (13, 16, 19)),  # Visa
    (range(51, 56), (16,)),  # Mastercard
    (range(2221, 2721), (16,)),  # Mastercard
    (range(2200, 2205), (16, 17, 18, 19)),  # Mir
    (range(34, 35), (15,)),  # American Express
    (range(37, 38), (15,)),
    (range(300, 306), (14, 15, 16, 17, 18, 19)),  # Diners Club
    (range(3095, 3096), (14, 15, 16, 17, 18, 19)),
    (range(36, 37), (14, 15, 16, 17, 18, 19)),
    (range(38, 40), (14, 15, 16, 17, 18, 19)),
    (range(3528, 3590), (16, 17, 18, 19)),  # JCB
    (range(6011, 6012), (16, 17, 18, 19)),  # Discover
    (range(644, 650), (16, 17, 18, 19)),
    (range(65, 66), (16, 17, 18, 19)),
    (range(62, 63), (16, 17, 18, 19)),  # UnionPay
    (range(81, 82), (16, 17, 18, 19)),
    (range(50, 51), (12, 13, 14, 15, 16, 17, 18, 19)),  # Maestro
    (range(56, 59), (12, 13, 14, 15, 16, 17, 18, 19)),
    (range(63, 64), (12, 13, 14, 15, 16, 17, 18, 19)),
    (range(67, 68), (12, 13, 14, 15, 16, 17, 18, 19)),
    (range(9804, 9805), (16,)),  # Prostir
)
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30,
    "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
    "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26,
    "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip


def find_personal_data(text: str) -> tuple[LabelledSpan, ...]:
    """Return personal data as typed spans in code points, in order, none overlapping another.

    Types: `email`, `iban`, `card`, `kz_iin` (person or company of Kazakhstan), `ru_inn`, `ru_snils`, `ua_rnokpp`,
    `phone`. Digits of every script are read. A number of any other kind, a time in milliseconds too, is none of these
    unless form and checksum say so.

    >>> [(s.label, "card 4242 4242 4242 4242"[s.start : s.end]) for s in find_personal_data("card 4242 4242 4242 4242")]
    [('card', '4242 4242 4242 4242')]
    """
    folded = fold_digits(text)
    found: list[LabelledSpan] = []
    for spans in (_matches(_EMAIL, "email"), _ibans, _snils, _numbers, _matches(_PHONE, "phone")):
        taken = list(found)
        found.extend(s for s in spans(folded) if not any(s.start < o.end and o.start < s.end for o in taken))
    return tuple(sorted(found))


def luhn(digits: str) -> bool:
    """Say whether the last digit is the Luhn check of the others.

    >>> luhn("4242424242424242"), luhn("1234567812345678")
    (True, False)
    """
    doubled = (int(d) * 2 for d in digits[-2::-2])
    return bool(digits) and (sum(map(int, digits[-1::-2])) + sum(d - 9 if d > 9 else d for d in doubled)) % 10 == 0  # noqa: PLR2004


def _matches(pattern: regex.Pattern[str], label: str) -> Callable[[str], Iterator[LabelledSpan]]:
    return lambda text: (LabelledSpan(m.start(), m.end(), label) for m in pattern.finditer(text))


def _ibans(text: str) -> Iterator[LabelledSpan]:
    for match in _IBAN.finditer(text):
        end = match.start() + _iban_end(match[0])
        if end > match.start():
            yield LabelledSpan(match.start(), end, "iban")


def _iban_end(text: str) -> int:
    """Return how many characters of a text are an account number with the right length and checksum; 0 for none."""
    wanted = _IBAN_LENGTHS.get(text[:2])
    signs = [(place, char) for place, char in enumerate(text) if char.isalnum()]
    if wanted is None or len(signs) < wanted:
        return 0
    end = signs[wanted - 1][0] + 1
    if end < len(text) and text[end].isalnum():
        return 0  # the next sign belongs to it, so it is another number
    number = "".join(char for _, char in signs[:wanted])
    return end if int("".join(str(int(c, 36)) for c in number[4:] + number[:4])) % 97 == 1 else 0


def _snils(text: str) -> Iterator[LabelledSpan]:
    for match in _SNILS.finditer(text):
        digits = _digits(match[0])
        check = sum(int(d) * weight for d, weight in zip(digits[:9], range(9, 0, -1), strict=True)) % 101 % 100
        if int(digits[:9]) > 1001998 and check == int(digits[9:]):  # noqa: PLR2004 - lower numbers have no checksum
            yield LabelledSpan(match.start(), match.end(), "ru_snils")


def _numbers(text: str) -> Iterator[LabelledSpan]:
    for match in _DIGITS.finditer(text):
        if _SUM.fullmatch(match[0]):
            continue
        digits = _digits(match[0])
        label = next((name for name, holds in _CHECKS if holds(digits)), None)
        if label is not None:
            yield LabelledSpan(match.start(), match.end(), label)


def _is_card(digits: str) -> bool:
    return luhn(digits) and any(
        len(digits) in lengths and int(digits[: len(str(first.start))]) in first for first, lengths in _CARDS
    )


def _is_iin(digits: str) -> bool:
    """Say whether this is an IIN (born on a day that exists) or BIN (of a month that exists) of Kazakhstan."""
    if len(digits) != 12:  # noqa: PLR2004
        return False
    check = _weighted(digits[:11], range(1, 12)) % 11
    if check == 10:  # noqa: PLR2004
        check = _weighted(digits[:11], [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]) % 11
    month = 1 <= int(digits[2:4]) <= 12  # noqa: PLR2004
    person = digits[6] in "0123456" and _is_day(f"20{digits[:2]}", digits[2:4], digits[4:6])
    company = month and digits[4] in "456" and digits[5] in "0123"
    return check == int(digits[11]) and (person or company)


def _is_inn(digits: str) -> bool:
    if len(digits) == 10:  # noqa: PLR2004 - a company
        return _inn_check(digits, [2, 4, 10, 3, 5, 9, 4, 6, 8]) and digits[:4] != "0000"
    first, second = [7, 2, 4, 10, 3, 5, 9, 4, 6, 8], [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]
    return len(digits) == 12 and _inn_check(digits[:11], first) and _inn_check(digits, second)  # noqa: PLR2004


def _inn_check(digits: str, weights: list[int]) -> bool:
    return _weighted(digits[:-1], weights) % 11 % 10 == int(digits[-1])


def _is_rnokpp(digits: str) -> bool:
    """Say whether this is a tax number of Ukraine: five digits are a day from 1900 to 2030, the last is a check."""
    if len(digits) != 10 or not 1 <= int(digits[:5]) <= 47500:  # noqa: PLR2004
        return False
    return _weighted(digits[:9], [-1, 5, 7, 9, 4, 6, 10, 5, 7]) % 11 % 10 == int(digits[9])


def _weighted(digits: str, weights: range | list[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def _is_day(year: str, month: str, day: str) -> bool:
    try:
        date(int(year), int(month), int(day))
    except ValueError:
        return False
    return True


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


_CHECKS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    (_CARD, _is_card), ("kz_iin", _is_iin), ("ua_rnokpp", _is_rnokpp), ("ru_inn", _is_inn),
)  # fmt: skip
