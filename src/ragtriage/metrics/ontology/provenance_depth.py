"""Whether citations lead to a document that can be named, and not only to a piece of text."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.ontology_views import AuditView
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Provenance depth",
    unit="fraction of citations",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 7",
    aggregate="micro",
)
def provenance_depth(view: AuditView) -> Score:
    """Share of the citations that lead to a source document with a stable id; a chunk's hash alone leads nowhere.

    Aggregated over citations (micro). Undefined when the trace records no citations, or the answer has none.

    >>> provenance_depth(AuditView(None, citations=("a", "a", "b", "gone"), sources={"a": "d1", "b": None}))
    Value(value=0.5, support=4)
    """
    if view.citations is None:
        return Undefined("the trace records no citations")
    if not view.citations:
        return Undefined("the answer has no citation")
    held = [view.sources.get(cited) is not None for cited in view.citations]
    return Value(sum(held) / len(held), len(held))
