"""Many scores become one number, and the counts that belong beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtriage.core.declare import Aggregate
from ragtriage.core.score import Failed, Outcome, Undefined, Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FAILED", "SCORED", "UNDEFINED", "Aggregated", "Columns", "aggregate", "why_none"]

SCORED, UNDEFINED, FAILED = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Columns:
    """Outcomes of many cases as columns.

    `values` float [cases] and `support` int [cases], 0 where there is no number; `status` int8 [cases]: SCORED,
    UNDEFINED or FAILED; `reasons` object [cases]: for each case without a number why, else an empty string.
    """

    values: NDArray[np.float64]
    support: NDArray[np.int64]
    status: NDArray[np.int8]
    reasons: NDArray[np.object_]

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Columns:
        """Turn outcomes into columns."""
        import numpy as np  # noqa: PLC0415

        given = list(outcomes)
        numbers = [(o.value, o.support) if isinstance(o, Value) else (0.0, 0) for o in given]
        return cls(
            values=np.array([value for value, _ in numbers], dtype=np.float64),
            support=np.array([support for _, support in numbers], dtype=np.int64),
            status=np.array([_status(o) for o in given], dtype=np.int8),
            reasons=np.array([_reason(o) for o in given], dtype=object),
        )

    def __len__(self) -> int:
        """Count the cases."""
        return len(self.values)

    def take(self, rows: Sequence[int] | NDArray[np.integer]) -> Columns:
        """Return the chosen cases."""
        import numpy as np  # noqa: PLC0415

        index = np.asarray(rows, dtype=np.int64)
        return Columns(self.values[index], self.support[index], self.status[index], self.reasons[index])


@dataclass(frozen=True, slots=True)
class Aggregated:
    """One number over many cases with its denominators.

    `value` None: no case gave a number, for the reason in `reason`. `micro`: sum of numerators / sum of denominators;
    `macro`: the mean over cases.
    """

    value: float | None
    scored: int
    undefined: int
    failed: int
    micro: float | None = None
    reason: str | None = None
    macro: float | None = None

    @property
    def coverage(self) -> tuple[int, int]:
        """Scored cases and those that should have been: scored and failed."""
        return self.scored, self.scored + self.failed

    @property
    def failed_share(self) -> float:
        """Failed cases / cases that should have been scored; 0 where there are none."""
        return self.failed / (self.scored + self.failed) if self.failed else 0.0

    def with_failures_as(self, worst: float) -> float | None:
        """Return the mean if every failed case had the worst value: a bound that no failure can hide behind."""
        if self.value is None and not self.failed:
            return None
        return ((self.value or 0.0) * self.scored + worst * self.failed) / (self.scored + self.failed)


def aggregate(
    outcomes: Iterable[Outcome] | Columns, *, how: Aggregate = "mean", population: str = "cases"
) -> Aggregated:
    """Aggregate outcomes by mean, micro (weighted by support) or median; what failed or is undefined is counted.

    `population`: what is counted, for the words of a reason. Raises ValueError for `set`: such a metric is computed
    over its cases, not from their scores.

    >>> aggregate([Value(1.0, 1), Value(0.8, 1), Failed("judge", "Timeout", ""), Undefined("no claim")])
    Aggregated(value=0.9, scored=2, undefined=1, failed=1, micro=0.9, reason=None, macro=0.9)
    """
    columns = outcomes if isinstance(outcomes, Columns) else Columns.of(outcomes)
    scored = columns.status == SCORED
    values, support = columns.values[scored], columns.support[scored]
    undefined, failed = int((columns.status == UNDEFINED).sum()), int((columns.status == FAILED).sum())
    if not len(values):
        return Aggregated(None, 0, undefined, failed, reason=why_none(columns, population=population))
    micro = math.fsum((values * support).tolist()) / int(support.sum())
    return Aggregated(
        _central(values, micro, how), len(values), undefined, failed, micro=micro, macro=_central(values, micro, "mean")
    )


def why_none(columns: Columns, *, population: str = "cases") -> str:
    """Say why no case gave a number: the commonest reason, and how many others there are."""
    if not len(columns):
        return f"there are no {population}"
    counts: dict[str, int] = {}
    for reason in columns.reasons.tolist():
        if reason:
            counts[reason] = counts.get(reason, 0) + 1
    if not counts:
        return f"none of the {population} was scored"
    first = min(counts, key=lambda reason: (-counts[reason], reason))
    others = sum(counts.values()) - counts[first]
    return first if not others else f"{first} ({counts[first]} {population}; {others} for other reasons)"


def _central(values: NDArray[np.float64], micro: float, how: Aggregate) -> float:
    import numpy as np  # noqa: PLC0415

    match how:
        case "mean":
            first = float(values[0])
            return first if bool((values == first).all()) else math.fsum(values.tolist()) / len(values)
        case "micro":
            return micro
        case "median":
            return float(np.median(values))
        case "set":
            raise ValueError("a set-level metric is computed over its cases, not from their scores")


def _status(outcome: Outcome) -> int:
    match outcome:
        case Value():
            return SCORED
        case Undefined():
            return UNDEFINED
        case Failed():
            return FAILED


def _reason(outcome: Outcome) -> str:
    match outcome:
        case Value():
            return ""
        case Undefined(reason=reason):
            return reason
        case Failed(stage=stage, error=error, message=message):
            return f"{stage} failed: {error}{f': {message}' if message else ''}"
