"""Durations of requests and their percentiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ragtriage.core.records import Timing
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ServiceView

__all__ = ["first_tokens", "latency", "percentile", "united"]


def united(timings: Iterable[Timing]) -> float:
    """Return how long any of the stages ran: overlaps are united, not summed; milliseconds.

    >>> united([Timing(stage="dense", start_ms=0, duration_ms=30), Timing(stage="sparse", start_ms=10, duration_ms=30)])
    40.0
    """
    total, reached = 0.0, 0.0
    for start, end in sorted((t.start_ms, t.start_ms + t.duration_ms) for t in timings):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def percentile(values: Sequence[float], share: float) -> float:
    """Return a percentile by linear interpolation between the nearest ranks, as numpy does by default.

    >>> percentile([10.0, 20.0], 0.5)
    15.0
    """
    return float(np.quantile(np.asarray(values, dtype=np.float64), share))


def latency(views: Sequence[ServiceView], share: float, *, stage: str) -> Score:
    """Return a percentile of the durations in milliseconds, of one stage or (`stage` empty) of the whole request.

    A request that failed counts as at least its limit; of a stage that it had finished, as that stage's own duration.
    """
    values = []
    for view in views:
        known = _stage_ms(view, stage) if stage else _whole_ms(view)
        if view.outcome != "answered" and not (stage and known is not None):
            if view.limit_ms is None:
                return Undefined("a request failed and its limit is not known")
            known = max(view.limit_ms, known or 0.0)
        if known is not None:
            values.append(known)
    measured = any((_stage_ms(view, stage) if stage else _whole_ms(view)) is not None for view in views)
    failed = any(view.outcome != "answered" for view in views)
    if not values or (stage and not measured) or not (measured or failed):
        return Undefined(f"no trace records how long {stage or 'the request'} took")
    return Value(percentile(values, share), support=len(values))


def first_tokens(views: Sequence[ServiceView], share: float) -> Score:
    """Return a percentile of the time to the first token in milliseconds; a failure counts as at least its limit."""
    if all(view.first_token_ms is None for view in views):
        return Undefined("no trace records when the first token came")
    values = []
    for view in views:
        if view.outcome == "answered":
            values += [] if view.first_token_ms is None else [view.first_token_ms]
        elif view.limit_ms is None:
            return Undefined("a request failed and its limit is not known")
        else:
            values.append(max(view.limit_ms, view.first_token_ms or 0.0))
    return Value(percentile(values, share), support=len(values))


def _whole_ms(view: ServiceView) -> float | None:
    if view.duration_ms is not None:
        return view.duration_ms
    return united(view.timings) if view.timings else None


def _stage_ms(view: ServiceView, stage: str) -> float | None:
    own = [timing for timing in view.timings or () if timing.stage == stage]
    return united(own) if own else None
