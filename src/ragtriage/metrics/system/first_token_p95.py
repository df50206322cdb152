"""How long 95 of 100 who ask wait for the first token at most."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score
from ragtriage.core.views import ServiceView
from ragtriage.metrics.system._latency import first_tokens


@metric(
    title="Time to first token, 95th percentile",
    unit="milliseconds",
    bounds=(0, math.inf),
    better="lower",
    source="Evaluating RAG, part 8",
    aggregate="set",
)
def first_token_p95(views: Sequence[ServiceView]) -> Score:
    """95th percentile of the time to the first token, by linear interpolation.

    Failures and time-outs count as at least their limit. Undefined when no trace records when the first token came, or
    a request failed and its limit is not known.

    >>> calls = [ServiceView("answered", first_token_ms=d) for d in (10.0, 20.0, 40.0)]
    >>> round(first_token_p95(calls).value, 4)
    38.0
    """
    return first_tokens(views, 0.95)
