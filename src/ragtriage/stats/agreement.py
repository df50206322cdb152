"""How far two raters, or many, agree beyond chance; confusion, precision and recall of each label.

A coefficient that has no value (one label alone, nobody rated twice) is None and never 0 or 1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

__all__ = ["agreement", "cohen_kappa", "confusion", "gwet_ac1", "interval", "krippendorff_alpha", "precision_recall"]

Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]
Pairs = Sequence[tuple[str, str]]


def confusion(pairs: Pairs, labels: Sequence[str]) -> list[list[int]]:
    """Count pairs (first rater, second rater): a row a label of the first, a column a label of the second.

    Raises ValueError for a label that is not listed.

    >>> confusion([("a", "a"), ("a", "b")], ["a", "b"])
    [[1, 1], [0, 0]]
    """
    place = {label: i for i, label in enumerate(labels)}
    unknown = sorted({x for pair in pairs for x in pair} - set(place))
    if unknown:
        raise ValueError(f"{unknown[0]!r} is none of the labels {', '.join(labels)}")
    table = [[0] * len(labels) for _ in labels]
    for first, second in pairs:
        table[place[first]][place[second]] += 1
    return table


def agreement(pairs: Pairs) -> float | None:
    """Return the share of equal labels; None for no pairs."""
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def _weight(i: int, j: int, count: int, weights: Weights) -> float:
    if weights == "none":
        return float(i != j)
    apart = abs(i - j) / (count - 1) if count > 1 else 0.0
    return apart if weights == "linear" else apart * apart


def cohen_kappa(pairs: Pairs, labels: Sequence[str], *, weights: Weights = "none") -> float | None:
    """Return Cohen's kappa; weights by the order of `labels` where asked. None where chance agreement is certain.

    >>> round(cohen_kappa([("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15, ["y", "n"]), 4)
    0.4
    """
    if not pairs:
        return None
    table, n, k = confusion(pairs, labels), len(pairs), len(labels)
    rows = [sum(row) for row in table]
    columns = [sum(row[j] for row in table) for j in range(k)]
    seen = math.fsum(_weight(i, j, k, weights) * table[i][j] / n for i in range(k) for j in range(k))
    chance = math.fsum(_weight(i, j, k, weights) * rows[i] * columns[j] / (n * n) for i in range(k) for j in range(k))
    return None if chance <= 0 else 1 - seen / chance


def gwet_ac1(pairs: Pairs, labels: Sequence[str]) -> float | None:
    """Return Gwet's AC1, which stays sensible where one label is rare (Gwet 2008); None for no pairs.

    >>> round(gwet_ac1([("y", "y")] * 118 + [("y", "n")] * 5 + [("n", "y")] * 2, ["y", "n"]), 3)
    0.941
    """
    if not pairs or len(labels) < 2:  # noqa: PLR2004 - chance needs two labels
        return None
    confusion(pairs, labels)
    counts = Counter(label for pair in pairs for label in pair)
    shares = [counts[label] / (2 * len(pairs)) for label in labels]
    chance = math.fsum(p * (1 - p) for p in shares) / (len(labels) - 1)
    seen = sum(a == b for a, b in pairs) / len(pairs)
    return (seen - chance) / (1 - chance)


def krippendorff_alpha(
    units: Sequence[Sequence[str | None]], labels: Sequence[str], *, level: Level = "nominal"
) -> float | None:
    """Return Krippendorff's alpha over units rated by any number of raters; None (not rated) is left out.

    `level`: nominal; ordinal by the order of `labels`; interval where labels are numbers. None where no unit has two
    ratings or all ratings are the same. Raises ValueError for a label that is not listed.

    >>> krippendorff_alpha([["a", "a"], ["b", "b"], ["a", None]], ["a", "b"])
    1.0
    """
    place = {label: i for i, label in enumerate(labels)}
    k = len(labels)
    together = [[0.0] * k for _ in range(k)]
    for unit in units:
        rated = [place[r] for r in unit if r is not None and _known(r, place)]
        if len(rated) < 2:  # noqa: PLR2004 - agreement needs two
            continue
        counts = Counter(rated)
        for i, a in counts.items():
            for j, b in counts.items():
                together[i][j] += (a * (b - (i == j))) / (len(rated) - 1)
    totals = [math.fsum(row) for row in together]
    n = math.fsum(totals)
    if n <= 1:
        return None
    apart = _distance(level, labels, totals)
    seen = math.fsum(together[i][j] * apart(i, j) for i in range(k) for j in range(k))
    chance = math.fsum(totals[i] * totals[j] * apart(i, j) for i in range(k) for j in range(k)) / (n - 1)
    return None if chance <= 0 else 1 - seen / chance


def _known(label: str, place: dict[str, int]) -> bool:
    if label not in place:
        raise ValueError(f"{label!r} is none of the labels {', '.join(place)}")
    return True


def _distance(level: Level, labels: Sequence[str], totals: Sequence[float]) -> Callable[[int, int], float]:
    if level == "nominal":
        return lambda i, j: float(i != j)
    if level == "interval":
        numbers = [float(label) for label in labels]
        return lambda i, j: (numbers[i] - numbers[j]) ** 2

    def ordinal(i: int, j: int) -> float:
        low, high = min(i, j), max(i, j)
        return (math.fsum(totals[low : high + 1]) - (totals[low] + totals[high]) / 2) ** 2

    return ordinal


def precision_recall(pairs: Pairs, label: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return ((right, given by the second), (right, given by the first)) of a label: precision and recall as counts.

    >>> precision_recall([("a", "a"), ("b", "a"), ("a", "b")], "a")
    ((1, 2), (1, 2))
    """
    right = sum(pair == (label, label) for pair in pairs)
    return (right, sum(b == label for _, b in pairs)), (right, sum(a == label for a, _ in pairs))


def interval(
    statistic: Callable[[Pairs], float | None], pairs: Pairs, *, resamples: int = 1000, seed: int, level: float = 0.95
) -> tuple[float, float] | None:
    """Return the percentile bootstrap interval of a coefficient over pairs.

    None where it has no value on the pairs themselves, or on one in ten resamples.
    """
    from ragtriage.stats.bootstrap import resample_blocks  # noqa: PLC0415

    if statistic(pairs) is None:
        return None
    found = []
    for block in resample_blocks(len(pairs), resamples=resamples, seed=seed):
        for row in block.tolist():
            value = statistic([pairs[i] for i in row])
            if value is not None:
                found.append(value)
    if len(found) < 0.9 * resamples:
        return None
    found.sort()
    tail = (1 - level) / 2
    return _quantile(found, tail), _quantile(found, 1 - tail)


def _quantile(values: Sequence[float], share: float) -> float:
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)
