"""Intervals for rates."""

from __future__ import annotations

import math
from statistics import NormalDist

__all__ = ["wilson"]


def wilson(successes: int, trials: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a rate; raises ValueError for no trials.

    >>> tuple(round(end, 4) for end in wilson(8, 10))
    (0.4902, 0.9433)
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is no rate")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return low, high
