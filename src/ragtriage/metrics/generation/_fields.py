"""Fields of an extraction task: where they are read from and when two values are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragtriage.core.views import AnswerView
from ragtriage.text.amounts import read_amounts
from ragtriage.text.json_schema import strict_json
from ragtriage.text.normalise import fold_text
from ragtriage.text.numbers import compare

__all__ = ["read_fields", "same_value"]


def read_fields(view: AnswerView) -> Mapping[str, object] | None:
    """Return the fields that the answer gives: recorded ones, else its text where that is one JSON object."""
    if view.fields is not None or view.text is None:
        return view.fields
    try:
        parsed = strict_json(view.text)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def same_value(wanted: object, given: object, *, language: str | None) -> bool:
    """Say whether two field values are the same: texts folded, numbers and dates as values, the rest member by member.

    >>> same_value("1 %", "1%", language=None), same_value(55, "55 days", language=None)
    (True, False)
    """
    if isinstance(wanted, bool) or isinstance(given, bool) or wanted is None or given is None:
        return wanted is given
    if isinstance(wanted, Mapping) and isinstance(given, Mapping):
        same_keys = wanted.keys() == given.keys()
        return same_keys and all(same_value(wanted[key], given[key], language=language) for key in wanted)
    if isinstance(wanted, str | int | float) and isinstance(given, str | int | float):
        return _same_text(wanted, given, language)
    if isinstance(wanted, Sequence) and isinstance(given, Sequence):
        same_size = len(wanted) == len(given)
        return same_size and all(same_value(a, b, language=language) for a, b in zip(wanted, given, strict=True))
    return False


def _same_text(wanted: str | float, given: str | float, language: str | None) -> bool:
    if not isinstance(wanted, str) and not isinstance(given, str):
        return wanted == given
    one, other = (" ".join(fold_text(str(value)).split()) for value in (wanted, given))
    if one == other:
        return True
    first, second = (read_amounts(text, "en" if isinstance(raw, float) else language)
                     for text, raw in ((str(wanted), wanted), (str(given), given)))  # fmt: skip
    if len(first.numbers) == len(second.numbers) == 1 and not first.dates and not second.dates:
        a, b = first.numbers[0], second.numbers[0]
        whole = a.text.strip() == str(wanted).strip() and b.text.strip() == str(given).strip()
        return whole and a.unit == b.unit and compare(a, b) == "equal"
    if len(first.dates) == len(second.dates) == 1 and not first.numbers and not second.numbers:
        a_date, b_date = first.dates[0], second.dates[0]
        whole = a_date.text.strip() == str(wanted).strip() and b_date.text.strip() == str(given).strip()
        return whole and a_date.readings == b_date.readings
    return False
