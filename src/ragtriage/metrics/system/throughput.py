"""How many questions the system answers a second at the concurrency of the run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ServiceView


@metric(
    title="Throughput",
    unit="answered requests a second",
    bounds=(0, math.inf),
    better="higher",
    source="Evaluating RAG, part 8",
    aggregate="set",
)
def throughput(views: Sequence[ServiceView]) -> Score:
    """Answered requests / seconds between the first question and the end of the last request.

    Requests that do not record when they were asked and how long they took are left out. Undefined when fewer than two
    do, or all of them stand at one moment.

    >>> calls = [ServiceView("answered", duration_ms=500.0, asked_at_s=s) for s in (0.0, 0.5, 1.0, 1.5)]
    >>> throughput(calls)
    Value(value=2.0, support=4)
    """
    timed = [(v.asked_at_s, v.duration_ms, v.outcome) for v in views]
    known = [
        (start, start + ms / 1000.0, outcome) for start, ms, outcome in timed if start is not None and ms is not None
    ]
    if len(known) < 2:  # noqa: PLR2004 - a single request says nothing of a rate
        return Undefined("fewer than two requests record when they were asked and how long they took")
    seconds = max(end for _, end, _ in known) - min(start for start, _, _ in known)
    if seconds <= 0:
        return Undefined("all requests stand at one moment")
    return Value(sum(outcome == "answered" for _, _, outcome in known) / seconds, support=len(known))
