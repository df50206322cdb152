"""Many tests at once: Holm (family-wise error) and Benjamini-Hochberg (false discovery rate)."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["benjamini_hochberg", "holm", "holm_levels"]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm-adjusted p values in the order given; raises ValueError for a p outside [0, 1].

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = _ranked(p_values)
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return Benjamini-Hochberg-adjusted p values in the order given; raises ValueError for a p outside [0, 1].

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = _ranked(p_values)
    adjusted = [0.0] * len(p_values)
    lowest = 1.0
    for rank in range(len(order), 0, -1):
        index = order[rank - 1]
        lowest = min(lowest, p_values[index] * len(order) / rank)
        adjusted[index] = lowest
    return adjusted


def holm_levels(p_values: Sequence[float], *, alpha: float = 0.05) -> list[float]:
    """Return for each test the error level at which Holm's procedure holds it, so that intervals can be drawn at it.

    The smallest p is held against alpha / m, the next against alpha / (m - 1), and so on until the first that is not
    below its level: that one and all after it are held at the level where the procedure stopped.

    >>> holm_levels([0.001, 0.5, 0.6], alpha=0.06)
    [0.02, 0.03, 0.03]
    """
    order = _ranked(p_values)
    levels = [alpha] * len(p_values)
    stopped: float | None = None
    for rank, index in enumerate(order):
        level = stopped if stopped is not None else alpha / (len(order) - rank)
        levels[index] = level
        if stopped is None and p_values[index] > level:
            stopped = level
    return levels


def _ranked(p_values: Sequence[float]) -> list[int]:
    for p in p_values:
        if not (math.isfinite(p) and 0 <= p <= 1):
            raise ValueError(f"a p value must lie in [0, 1]. Got {p}")
    return sorted(range(len(p_values)), key=lambda index: p_values[index])
