"""How many cases a difference needs to be seen, and which difference these cases can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

__all__ = [
    "NonInferiority",
    "detectable_effect",
    "detectable_rate_change",
    "non_inferiority",
    "sample_size",
    "sample_size_rates",
]


@dataclass(frozen=True, slots=True)
class NonInferiority:
    """Whether a candidate is worse than the base by less than the margin: `p` of the opposite and the lower bound."""

    difference: float
    lower: float
    p: float
    holds: bool


def non_inferiority(differences: Sequence[float], *, margin: float, alpha: float = 0.05) -> NonInferiority:
    """Test that the mean of candidate - base lies above -margin (one-sided, normal approximation).

    Raises ValueError for fewer than two pairs. Where all differences are equal the answer is certain: p is 0 or 1.
    """
    if len(differences) < 2:  # noqa: PLR2004 - one pair has no spread
        raise ValueError(f"non-inferiority needs at least two pairs. Got {len(differences)}")
    mean, error = fmean(differences), stdev(differences) / math.sqrt(len(differences))
    if error == 0:
        holds = mean > -margin
        return NonInferiority(mean, mean, 0.0 if holds else 1.0, holds)
    normal = NormalDist()
    p = 1 - normal.cdf((mean + margin) / error)
    lower = mean - normal.inv_cdf(1 - alpha) * error
    return NonInferiority(mean, lower, p, p < alpha)


def sample_size(effect: float, *, deviation: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the number of pairs at which a mean difference `effect` is seen with this power (two-sided).

    `deviation`: standard deviation of the paired differences, in the metric's unit. Round up for a real plan.

    >>> round(sample_size(0.05, deviation=0.3), 1)
    282.6
    """
    _check(effect, alpha, power)
    spread = (_z(1 - alpha / 2) + _z(power)) * deviation / effect
    return spread * spread


def detectable_effect(pairs: int, *, deviation: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest mean difference that this many pairs show with this power (two-sided).

    >>> round(detectable_effect(160, deviation=0.3), 4)
    0.0664
    """
    if pairs < 1:
        raise ValueError("a detectable effect needs at least one pair")
    return (_z(1 - alpha / 2) + _z(power)) * deviation / math.sqrt(pairs)


def sample_size_rates(base: float, candidate: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the number of cases in each of two independent runs at which two rates are told apart (two-sided).

    >>> round(sample_size_rates(0.8, 0.9), 1)
    199.0
    """
    _check(candidate - base, alpha, power)
    pooled = (base + candidate) / 2
    spread = base * (1 - base) + candidate * (1 - candidate)
    null = _z(1 - alpha / 2) * math.sqrt(2 * pooled * (1 - pooled))
    return (null + _z(power) * math.sqrt(spread)) ** 2 / (candidate - base) ** 2


def detectable_rate_change(base: float, cases: int, *, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """Return the smallest drop of a rate that two independent runs of this size show, None where not even a drop to 0.

    Found by halving: the needed size falls as the drop grows.
    """
    if not 0 < base <= 1 or sample_size_rates(base, 0.0, alpha=alpha, power=power) > cases:
        return None
    low, high = 0.0, base
    for _ in range(60):
        middle = (low + high) / 2
        if middle == 0 or sample_size_rates(base, base - middle, alpha=alpha, power=power) > cases:
            low = middle
        else:
            high = middle
    return high


def _z(probability: float) -> float:
    return NormalDist().inv_cdf(probability)


def _check(effect: float, alpha: float, power: float) -> None:
    if effect == 0:
        raise ValueError("an effect of 0 cannot be seen with any number of cases")
    if not (0 < alpha < 1 and 0 < power < 1):
        raise ValueError(f"alpha={alpha} and power={power} must lie between 0 and 1")
