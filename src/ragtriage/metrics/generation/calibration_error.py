"""Whether the system is right as often as it says it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ConfidenceView
from ragtriage.stats.calibration import brier, expected_calibration_error


@metric(
    title="Calibration error",
    unit="difference of confidence and share right",
    bounds=(0, 1),
    better="lower",
    source="Naeini et al. 2015; Guo et al. 2017; Brier 1950",
    aggregate="set",
    proxy=True,
    asks=("reference",),
)
def calibration_error(
    views: Sequence[ConfidenceView], *, form: Literal["width", "mass", "brier"] = "width", bins: int = 10
) -> Score:
    """Weighted mean over bins of |share right - mean confidence|, the expected calibration error.

    `width`: bins of equal width; `mass`: of equal size; `brier`: mean squared difference instead. A case counts where
    both are known. Undefined when there is no such case.

    >>> sure = [ConfidenceView(c, ok) for c, ok in [(0.91, True), (0.93, True), (1.0, False), (1.0, True)]]
    >>> round(calibration_error(sure).value, 9)
    0.21
    """
    known = [(v.confidence, v.correct) for v in views if v.confidence is not None and v.correct is not None]
    if not known:
        return Undefined("no case states a confidence and is known to be right or wrong")
    confidence, correct = [c for c, _ in known], [ok for _, ok in known]
    if form == "brier":
        return Value(brier(confidence, correct), support=len(known))
    return Value(expected_calibration_error(confidence, correct, bins=max(1, bins), form=form), support=len(known))
