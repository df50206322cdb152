"""Whether a request for support was resolved, by the verdict of a model."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import JudgedAnswerView

_WORTH = {"resolved": 1.0, "partly_resolved": 0.5, "not_resolved": 0.0}


@metric(
    title="Resolution by a judge",
    unit="fraction of requests, in part counts half",
    bounds=(0, 1),
    better="higher",
    source="tau-bench, outcome instead of style (Yao et al. 2024)",
    proxy=True,
    asks=("resolution",),
)
def judged_resolution(view: JudgedAnswerView, *, partly: float = 0.5) -> Score:
    """1 if the customer, with the answer alone, has what the case's reference says resolves the request, else 0.

    Resolved in part counts `partly`. For cases whose facts are not declared; where they are, `generation.resolution`
    decides by code. Undefined when no model judged, without a reference or an answer, and for a request that was handed
    over to a person, which `generation.judged_escalation` grades.

    >>> from ragtriage.core.verdicts import ResolutionVerdict
    >>> judged_resolution(JudgedAnswerView(resolution=ResolutionVerdict(label="resolved")))
    Value(value=1.0, support=1)
    """
    if view.resolution is None:
        return Undefined("no model judged, or there is no reference or no answer")
    if view.resolution.label == "handed_over":
        return Undefined("the request was handed over to a person")
    worth = _WORTH | {"partly_resolved": min(max(partly, 0.0), 1.0)}
    return Value(worth[view.resolution.label], support=1)
