"""What `,` and `.` mean inside a number: by their arrangement, else by the language's habit, else uncertain."""

from __future__ import annotations

from decimal import Decimal

import regex

from ragtriage.text.language import base_language

__all__ = ["read_digits"]

_POINT_DECIMAL = frozenset({"en", "zh", "ja", "ko", "th", "he", "hi", "bn", "ta", "te", "ur", "ms", "sw", "my", "fil"})
_POINT_GROUPS = frozenset(
    {"de", "es", "it", "tr", "nl", "da", "id", "pt", "el", "ro", "hr", "sr", "sl", "is", "vi", "az"}
)
_SPACE_GROUPS = frozenset(
    {"ru", "uk", "kk", "be", "fr", "pl", "cs", "sk", "fi", "sv", "nb", "no", "nn", "hu", "bg", "et", "lv", "lt", "ky",
     "uz", "ka", "hy"}
)  # fmt: skip
_POINT_REGIONS = frozenset({"es-mx", "es-us", "es-pr", "es-do", "es-gt", "es-pe", "de-ch", "it-ch", "fr-ch", "de-li"})
_SPACES = regex.compile(r"[ \u00a0\u202f\u2009]")
_GROUPED = regex.compile(r"\d{1,3}(?:[.,'’٬]\d{3})+")
_INDIAN = regex.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")
_LONGEST = 60
_GROUP = 3


def _strip(digits: str) -> Decimal:
    return Decimal(regex.sub(r"[^\d]", "", digits))


def _single(head: str, mark: str, tail: str, language: str | None) -> tuple[Decimal, ...]:
    """Read digits around one `.` or `,`."""
    decimal = Decimal(f"{head}.{tail}")
    if len(tail) != _GROUP or len(head) > _GROUP or head.startswith("0"):
        return (decimal,)
    grouped = Decimal(head + tail)
    tag = (language or "").replace("_", "-").lower()
    base = base_language(language)
    if base in _POINT_DECIMAL or tag in _POINT_REGIONS:
        return (grouped,) if mark == "," else (decimal,)
    if base in _POINT_GROUPS:
        return (decimal,) if mark == "," else (grouped,)
    if base in _SPACE_GROUPS and mark == "," and tail != "000":
        return (decimal,)
    return (grouped, decimal)


def read_digits(written: str, *, language: str | None = None) -> tuple[Decimal, ...]:
    """Return the values that digits with separators may have: one, two where it is uncertain, none for a code.

    >>> read_digits("1.250,50"), read_digits("1,250", language="en"), read_digits("1,250")
    ((Decimal('1250.50'),), (Decimal('1250'),), (Decimal('1250'), Decimal('1.250')))
    >>> read_digits("3.2.1")
    ()
    """
    if len(written) > _LONGEST:
        return ()
    compact = _SPACES.sub("", written)
    if compact.isdigit():
        return (Decimal(compact),)
    if "٫" in compact or "٬" in compact:
        whole, _, fraction = compact.partition("٫")
        if fraction and not fraction.isdigit():
            return ()
        return (Decimal(f"{_strip(whole)}.{fraction}" if fraction else _strip(whole)),)
    marks = [c for c in compact if not c.isdigit()]
    last = marks[-1]
    whole, _, tail = compact.rpartition(last)
    if len(set(marks)) == 1:
        if _GROUPED.fullmatch(compact) and (len(marks) > 1 or last in "'’"):
            return (_strip(compact),)
        if _INDIAN.fullmatch(compact):
            return (_strip(compact),)
        return _single(whole, last, tail, language) if len(marks) == 1 and last in ".," else ()
    if marks.count(last) == 1 and (whole.isdigit() or _GROUPED.fullmatch(whole) or _INDIAN.fullmatch(whole)):
        return (Decimal(f"{_strip(whole)}.{tail}"),) if last in ".," else ()
    return ()
