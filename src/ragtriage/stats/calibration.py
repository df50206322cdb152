"""Whether stated confidences are right as often as they say: ECE, Brier, and the curve behind them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Bin", "brier", "expected_calibration_error", "reliability"]

Form = Literal["width", "mass"]


@dataclass(frozen=True, slots=True)
class Bin:
    """Samples of similar confidence: bounds, how many, mean confidence, share right."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


def _check(confidence: Sequence[float], correct: Sequence[bool]) -> None:
    if not confidence or len(confidence) != len(correct):
        raise ValueError("confidences and outcomes must be as many, and at least one")
    if not all(0 <= c <= 1 for c in confidence):
        raise ValueError("a confidence must lie in [0, 1]")


def reliability(
    confidence: Sequence[float], correct: Sequence[bool], *, bins: int = 10, form: Form = "width"
) -> list[Bin]:
    """Return the bins that hold a sample; every sample is in exactly one.

    `width`: bin i holds i/bins <= confidence < (i+1)/bins, the last one 1.0 as well. `mass`: bins of as equal size as
    may be, equal confidences together. Raises ValueError for no samples and for confidences outside [0, 1].

    >>> [b.count for b in reliability([0.0, 0.05, 1.0], [True, False, True])]
    [2, 1]
    """
    _check(confidence, correct)
    samples = sorted(zip(confidence, correct, strict=True))
    groups: dict[int, list[tuple[float, bool]]] = {}
    if form == "width":
        for sample in samples:
            place = min(int(sample[0] * bins), bins - 1)
            while place + 1 < bins and sample[0] >= (place + 1) / bins:
                place += 1
            while place > 0 and sample[0] < place / bins:
                place -= 1
            groups.setdefault(place, []).append(sample)
        bounds = {place: (place / bins, (place + 1) / bins) for place in groups}
    else:
        starts: dict[float, int] = {}
        for index, (value, _) in enumerate(samples):
            starts.setdefault(value, index * bins // len(samples))
        for sample in samples:
            groups.setdefault(starts[sample[0]], []).append(sample)
        bounds = {place: (group[0][0], group[-1][0]) for place, group in groups.items()}
    return [
        Bin(
            low=bounds[place][0],
            high=bounds[place][1],
            count=len(group),
            confidence=math.fsum(c for c, _ in group) / len(group),
            accuracy=sum(ok for _, ok in group) / len(group),
        )
        for place, group in sorted(groups.items())
    ]


def expected_calibration_error(
    confidence: Sequence[float], correct: Sequence[bool], *, bins: int = 10, form: Form = "width"
) -> float:
    """Return the sum over bins of count / n * |share right - mean confidence|; raises ValueError as `reliability`.

    >>> round(expected_calibration_error([0.0, 0.05], [True, False]), 9)
    0.475
    """
    found = reliability(confidence, correct, bins=bins, form=form)
    return math.fsum(b.count * abs(b.accuracy - b.confidence) for b in found) / len(confidence)


def brier(confidence: Sequence[float], correct: Sequence[bool]) -> float:
    """Return the mean squared difference of confidence and outcome.

    >>> brier([1.0, 0.5], [True, False])
    0.125
    """
    _check(confidence, correct)
    return math.fsum((c - ok) ** 2 for c, ok in zip(confidence, correct, strict=True)) / len(confidence)
