"""Percentiles of how long an index took to show a change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from ragtriage.core.index_views import ChangeView
from ragtriage.core.score import Score, Undefined, Value

__all__ = ["lag_percentile"]


def lag_percentile(views: Sequence[ChangeView], *, kind: Literal["written", "deleted"], percentile: float) -> Score:
    """Return a percentile of the lags of one kind of change, by linear interpolation between the nearest ranks.

    A change that no search showed within its deadline took longer than every other one. It has no number, so the
    percentile has none where it reaches such a change. Raises ValueError for a percentile outside [0, 100].
    """
    if not 0 <= percentile <= 100:  # noqa: PLR2004 - per cent
        raise ValueError(f"percentile must lie between 0 and 100. Got {percentile} instead")
    chosen = [view for view in views if view.kind == kind]
    if not chosen:
        return Undefined(f"no document was {kind}")
    known = sorted(view.lag_ms for view in chosen if view.lag_ms is not None)
    place = (len(chosen) - 1) * percentile / 100
    if math.ceil(place - 1e-9) >= len(known):
        missing = [view.deadline_ms for view in chosen if view.lag_ms is None]
        return Undefined(
            f"{len(missing)} of {len(chosen)} changes were not seen within their deadline "
            f"({min(missing):g} ms), and this percentile reaches them"
        )
    padded = np.array(known + [known[-1]] * (len(chosen) - len(known)), dtype=np.float64)
    return Value(float(np.quantile(padded, percentile / 100)), support=len(chosen))
