"""What the share or mean would be if people had judged everything: a judge on all, people on some."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

__all__ = ["LEAST_LABELS", "Corrected", "ppi_mean", "rogan_gladen"]

LEAST_LABELS = 30
"""Fewer labels by people than this correct nothing."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected estimate with its interval, and the judge's own mean beside it."""

    value: float
    interval: tuple[float, float]
    raw: float


def _refuse(labels: int) -> None:
    if labels < LEAST_LABELS:
        raise ValueError(f"a correction needs {LEAST_LABELS} labels by people. Got {labels}")


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    return math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)


def _covariance(first: Sequence[float], second: Sequence[float]) -> float:
    a, b = _mean(first), _mean(second)
    return math.fsum((x - a) * (y - b) for x, y in zip(first, second, strict=True)) / (len(first) - 1)


def ppi_mean(
    judged: Sequence[float], labelled_judged: Sequence[float], labelled_people: Sequence[float], *, level: float = 0.95
) -> Corrected:
    """Return the prediction-powered mean (Angelopoulos et al. 2023) with the weight that shortens it most (PPI++).

    `judged`: the judge on items without labels; `labelled_judged` and `labelled_people`: both on those with labels.
    Unbiased whatever the judge is worth. Raises ValueError under 30 labels or 2 items without.
    """
    n, unlabelled = len(labelled_people), len(judged)
    _refuse(n)
    if len(labelled_judged) != n or unlabelled < 2:  # noqa: PLR2004 - a variance needs two
        raise ValueError("both must have judged the labelled items, and two or more items must be without labels")
    spread = _variance([*judged, *labelled_judged])
    weight = 0.0
    if spread > 0:
        weight = _covariance(labelled_judged, labelled_people) / ((1 + n / unlabelled) * spread)
    weight = min(1.0, max(0.0, weight))
    errors = [y - weight * f for y, f in zip(labelled_people, labelled_judged, strict=True)]
    value = weight * _mean(judged) + _mean(errors)
    deviation = math.sqrt(weight * weight * _variance(judged) / unlabelled + _variance(errors) / n)
    half = NormalDist().inv_cdf((1 + level) / 2) * deviation
    return Corrected(value, (value - half, value + half), raw=_mean([*judged, *labelled_judged]))


def rogan_gladen(
    judged: Sequence[bool], labelled_judged: Sequence[bool], labelled_people: Sequence[bool], *, level: float = 0.95
) -> Corrected:
    """Return a share corrected by the judge's sensitivity and specificity (Rogan and Gladen 1978), within [0, 1].

    Variance by the delta method (Lang and Reiczigel 2014 describe it). Raises ValueError under 30 labels, where people
    gave one label alone, and where the judge is no better than chance.
    """
    _refuse(len(labelled_people))
    pairs = list(zip(labelled_people, labelled_judged, strict=True))
    positive, negative = sum(y for y, _ in pairs), sum(not y for y, _ in pairs)
    if not judged or not positive or not negative:
        raise ValueError("there must be items to correct, and labels of both kinds")
    sensitivity = sum(y and f for y, f in pairs) / positive
    specificity = sum(not y and not f for y, f in pairs) / negative
    power = sensitivity + specificity - 1
    if power <= 0:
        raise ValueError("the judge is no better than chance, so nothing can be corrected")
    raw = sum(judged) / len(judged)
    value = (raw + specificity - 1) / power
    variance = (
        raw * (1 - raw) / len(judged)
        + value * value * sensitivity * (1 - sensitivity) / positive
        + (1 - value) * (1 - value) * specificity * (1 - specificity) / negative
    ) / (power * power)
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(variance)
    kept = [min(1.0, max(0.0, v)) for v in (value, value - half, value + half)]
    return Corrected(kept[0], (kept[1], kept[2]), raw=raw)
