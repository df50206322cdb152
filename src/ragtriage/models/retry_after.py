"""How long an endpoint asks to be left alone: every form of `Retry-After`, read so that we are never early."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["wait_asked_for_s"]

_SECONDS = re.compile(r"[0-9]{1,15}(\.[0-9]{1,9})?")


def wait_asked_for_s(headers: Iterable[tuple[str, str]], *, now: datetime) -> float | None:
    """Return the seconds that a reply asks to wait, the longest where it says several; None where it says none.

    Reads `Retry-After` as seconds, whole or not, or as any of the three date forms of HTTP, and `retry-after-ms`. A
    date counts from the endpoint's own `Date` or from our clock, whichever is longer to wait; one that is over is 0.

    >>> wait_asked_for_s([("Retry-After", "3"), ("retry-after-ms", "3500")], now=datetime(2026, 1, 1, tzinfo=UTC))
    3.5
    """
    asked: list[float] = []
    dates: list[datetime] = []
    starts = [now]
    for name, raw in headers:
        value = raw.strip()
        match name.lower():
            case "retry-after":
                if _SECONDS.fullmatch(value):
                    asked.append(float(value))
                elif _SECONDS.fullmatch(value.rpartition(",")[2].strip()):  # a proxy joined two headers
                    asked.extend(float(part) for part in value.split(",") if _SECONDS.fullmatch(part.strip()))
                elif (until := _date(value)) is not None:
                    dates.append(until)
            case "retry-after-ms" if _SECONDS.fullmatch(value):
                asked.append(float(value) / 1000)
            case "date" if (sent := _date(value)) is not None:
                starts.append(sent)
    asked.extend(max(0.0, *((until - start).total_seconds() for start in starts)) for until in dates)
    return max(asked, default=None)


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
        return found if found.tzinfo else found.replace(tzinfo=UTC)  # HTTP knows no other zone
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
