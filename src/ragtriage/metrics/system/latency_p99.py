"""How long 99 of 100 of the requests take at most."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score
from ragtriage.core.views import ServiceView
from ragtriage.metrics.system._latency import latency


@metric(
    title="Latency, 99th percentile",
    unit="milliseconds",
    bounds=(0, math.inf),
    better="lower",
    source="Evaluating RAG, part 8",
    aggregate="set",
)
def latency_p99(views: Sequence[ServiceView], *, stage: str = "") -> Score:
    """99th percentile of the duration of requests, of one `stage` or of all of it, by linear interpolation.

    Overlapping stages are united, not summed; failures and time-outs count as at least their limit. Undefined when no
    trace records the duration, or a request failed and its limit is not known.

    >>> calls = [ServiceView("answered", duration_ms=d) for d in (10.0, 20.0, 40.0)]
    >>> round(latency_p99(calls).value, 4)
    39.6
    """
    return latency(views, 0.99, stage=stage)
