"""Whether a column looks different now than it did: chi-square for categories, Kolmogorov-Smirnov for numbers.

A column with one value on both sides cannot shift and is not tested: p is 1 and the note says so. The two sides may
have different numbers of rows.
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Shift", "category_shift", "number_shift", "shifted_share"]

CONSTANT = "constant, not tested"
_SERIES = 10_000


@dataclass(frozen=True, slots=True)
class Shift:
    """The statistic of one column and the p that nothing changed; `note` says what a reader has to know."""

    statistic: float
    p: float
    note: str = ""


def category_shift(reference: Sequence[str], current: Sequence[str]) -> Shift:
    """Test two lists of categories by chi-square (no continuity correction); raises ValueError for an empty side.

    >>> category_shift(["answered"] * 40, ["answered"] * 10)
    Shift(statistic=0.0, p=1.0, note='constant, not tested')
    """
    _check(reference, current)
    before, after = Counter(reference), Counter(current)
    names = sorted(set(before) | set(after))
    if len(names) == 1:
        return Shift(0.0, 1.0, CONSTANT)
    total = len(reference) + len(current)
    statistic = 0.0
    fewest = math.inf
    for name in names:
        both = before[name] + after[name]
        for count, size in ((before[name], len(reference)), (after[name], len(current))):
            expected = both * size / total
            fewest = min(fewest, expected)
            statistic += (count - expected) ** 2 / expected
    note = "" if fewest >= 5 else "expected counts below 5: p is approximate"  # noqa: PLR2004 - Cochran's rule
    return Shift(statistic, _upper_gamma((len(names) - 1) / 2, statistic / 2), note)


def number_shift(reference: Sequence[float], current: Sequence[float]) -> Shift:
    """Test two lists of numbers by Kolmogorov-Smirnov (limit distribution); raises ValueError for an empty side.

    >>> number_shift([0.5, 0.5], [0.5])
    Shift(statistic=0.0, p=1.0, note='constant, not tested')
    """
    _check(reference, current)
    if not all(math.isfinite(value) for value in (*reference, *current)):
        raise ValueError("a shift of numbers needs finite numbers; count the others as a category of their own")
    if len({*reference, *current}) == 1:
        return Shift(0.0, 1.0, CONSTANT)
    before, after = sorted(reference), sorted(current)
    gap = max(
        abs(bisect.bisect_right(before, x) / len(before) - bisect.bisect_right(after, x) / len(after))
        for x in {*before, *after}
    )
    size = len(before) * len(after) / (len(before) + len(after))
    return Shift(gap, _kolmogorov(math.sqrt(size) * gap))


def shifted_share(columns: Mapping[str, Shift], *, alpha: float = 0.05) -> tuple[int, int]:
    """Return how many columns shifted and how many there are; a constant column counts as not shifted."""
    return sum(shift.p < alpha for shift in columns.values()), len(columns)


def _check(reference: Sequence[object], current: Sequence[object]) -> None:
    if not reference or not current:
        raise ValueError(f"a shift needs rows on both sides. Got {len(reference)} and {len(current)}")


def _upper_gamma(a: float, x: float) -> float:
    """Return the regularised upper incomplete gamma function Q(a, x): series below a + 1, continued fraction above."""
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        for n in range(1, _SERIES):
            term *= x / (a + n)
            total += term
            if term < total * 1e-17:
                break
        return max(0.0, 1 - scale * total)
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    fraction = d
    for n in range(1, _SERIES):  # Lentz's method
        step = -n * (n - a)
        b += 2
        d = step * d + b
        d = 1 / (d if abs(d) > tiny else tiny)
        c = b + step / c
        c = c if abs(c) > tiny else tiny
        fraction *= d * c
        if abs(d * c - 1) < 1e-16:  # noqa: PLR2004 - the precision of a float
            break
    return min(1.0, scale * fraction)


def _kolmogorov(x: float) -> float:
    """Return the chance that the limit statistic exceeds x; two series, each where it converges fast."""
    if x <= 0:
        return 1.0
    if x < 1:
        terms = (math.exp(-((2 * i - 1) ** 2) * math.pi**2 / (8 * x * x)) for i in range(1, 20))
        return 1 - math.sqrt(2 * math.pi) / x * math.fsum(terms)
    return 2 * math.fsum((-1) ** (i - 1) * math.exp(-2 * i * i * x * x) for i in range(1, 20))
