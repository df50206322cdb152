"""Time as an argument: durations from the monotonic clock, dates from the wall clock, both replaceable."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["Clock", "FixedClock", "SystemClock"]


class Clock(Protocol):
    """What the engine asks for time."""

    def now(self) -> datetime:
        """Return the wall clock's time in UTC."""
        ...

    def monotonic_ms(self) -> float:
        """Return a time in milliseconds that never goes backwards."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the wall clock's time in UTC."""
        return datetime.now(UTC)

    def monotonic_ms(self) -> float:
        """Return the monotonic clock in milliseconds."""
        return time.monotonic() * 1000.0


@dataclass
class FixedClock:
    """A clock that stands still until it is moved."""

    at: datetime = field(default_factory=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    elapsed_ms: float = 0.0

    def now(self) -> datetime:
        """Return the fixed date."""
        return self.at

    def monotonic_ms(self) -> float:
        """Return the milliseconds that were moved so far."""
        return self.elapsed_ms
