"""What length itself earns: the score that is left when every answer is as long as its reference."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import LengthView

_LEAST = 10


@metric(
    title="Length control",
    unit="change of mean correctness",
    bounds=(-1, 1),
    better="neither",
    source="Length-controlled AlpacaEval (Dubois et al. 2024)",
    aggregate="set",
    proxy=True,
    asks=("reference",),
)
def length_control(views: Sequence[LengthView]) -> Score:
    """Mean correctness with the length of answers held at that of their references, minus the mean as it is.

    A line is fitted to correctness over log(words of the answer / words of the reference); the value is its height at
    equal length minus the mean, kept within [0, 1] before the difference is taken. Below 0: length earned something.
    Undefined when fewer than 10 cases have all three numbers, or all answers are equally long.

    >>> same = [LengthView(1.0 if n > 10 else 0.0, n, 10) for n in (5, 20)] * 5
    >>> round(length_control(same).value, 6)
    0.0
    """
    known = [
        (v.correctness, math.log(v.words / v.reference_words))
        for v in views
        if v.correctness is not None and v.words and v.reference_words
    ]
    if len(known) < _LEAST:
        return Undefined(f"fewer than {_LEAST} cases have a correctness and two lengths")
    n = len(known)
    mean = math.fsum(score for score, _ in known) / n
    middle = math.fsum(ratio for _, ratio in known) / n
    spread = math.fsum((ratio - middle) ** 2 for _, ratio in known)
    if spread < 1e-12:  # noqa: PLR2004 - rounding
        return Undefined("all answers have the same length beside their references")
    slope = math.fsum((ratio - middle) * (score - mean) for score, ratio in known) / spread
    return Value(min(1.0, max(0.0, mean - slope * middle)) - mean, support=n)
