"""How many cuts a person finds reasonable."""

from __future__ import annotations

from ragtriage.core.chunk_views import BorderLabelsView
from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Boundary quality",
    unit="sampled borders labelled reasonable / sampled borders",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG: chunking",
    aggregate="micro",
)
def boundary_quality(view: BorderLabelsView) -> Score:
    """Borders labelled a reasonable place to cut by a person / labelled borders.

    Undefined for a document without a labelled border.

    >>> boundary_quality(BorderLabelsView((True, True, False, True)))
    Value(value=0.75, support=4)
    """
    if not view.reasonable:
        return Undefined("no border of the document is labelled")
    return Value(sum(view.reasonable) / len(view.reasonable), support=len(view.reasonable))
