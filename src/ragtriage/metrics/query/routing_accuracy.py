"""Whether a question went into the pipeline that it needs: no retrieval, one shot, iterative."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.query_views import RouteView
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Routing accuracy",
    unit="fraction of questions",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG: query understanding; Jeong et al. 2024 (Adaptive-RAG)",
)
def routing_accuracy(view: RouteView) -> Score:
    """1 if the question was sent where its case says that it belongs, else 0.

    Undefined when the case declares no route or the trace records none. Agrees with sklearn's accuracy_score.

    >>> routing_accuracy(RouteView(expected="iterative", taken="one_shot"))
    Value(value=0.0, support=1)
    """
    if view.expected is None:
        return Undefined("the case declares no route")
    if view.taken is None:
        return Undefined("the trace records no route")
    return Value(float(view.taken == view.expected), 1)
