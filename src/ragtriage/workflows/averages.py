"""A mean with its interval and its counts, for what is measured outside a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragtriage.core.score import Outcome
from ragtriage.stats.aggregate import SCORED, Columns, aggregate
from ragtriage.stats.bootstrap import bootstrap_mean

__all__ = ["RESAMPLES", "Average", "average"]

RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Average:
    """A mean over units with its 95 % bootstrap interval; `value` None: no unit has a number, for `reason`."""

    value: float | None
    low: float | None
    high: float | None
    scored: int
    undefined: int = 0
    failed: int = 0
    reason: str | None = None

    def __str__(self) -> str:
        """`0.9750 (0.9500 to 1.0000, n = 40)`, or why there is no number."""
        if self.value is None:
            return f"undefined: {self.reason}"
        missing = self.undefined + self.failed
        without = f", {missing} without a number" if missing else ""
        return f"{self.value:.4f} ({self.low:.4f} to {self.high:.4f}, n = {self.scored}{without})"


def average(outcomes: Iterable[Outcome], *, population: str, seed: int = 0) -> Average:
    """Average outcomes and draw an interval over units; equal arguments give equal intervals.

    >>> from ragtriage.core.score import Undefined, Value
    >>> str(average([Value(0.5, 1), Value(0.5, 1), Undefined("nothing")], population="queries"))
    '0.5000 (0.5000 to 0.5000, n = 2, 1 without a number)'
    """
    columns = Columns.of(outcomes)
    found = aggregate(columns, population=population)
    if found.value is None:
        return Average(None, None, None, 0, found.undefined, found.failed, found.reason)
    values = columns.values[columns.status == SCORED]
    low, high = bootstrap_mean(values, resamples=RESAMPLES, seed=seed)
    return Average(found.value, low, high, found.scored, found.undefined, found.failed)
