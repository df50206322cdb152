"""Whether every claim of an answer comes with a citation that can be checked."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.ontology_views import AuditView
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Citation completeness",
    unit="fraction of claims",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 7",
    aggregate="micro",
    proxy=True,
)
def citation_completeness(view: AuditView) -> Score:
    """Share of the claims with at least one citation whose text is known, so that somebody can check it.

    Whether the citation supports the claim is another question: see `generation.citation_recall`. Aggregated over
    claims (micro). Undefined when no judge took the answer apart, the trace records no citations, or nothing is
    claimed.

    >>> citation_completeness(AuditView(claims=(("a",), (), ("gone",)), citations=("a", "gone"), sources={"a": "d1"}))
    Value(value=0.3333333333333333, support=3)
    """
    if view.claims is None:
        return Undefined("no judge ran")
    if view.citations is None:
        return Undefined("the trace records no citations")
    if not view.claims:
        return Undefined("the answer makes no checkable claim")
    held = [any(cited in view.sources for cited in claim) for claim in view.claims]
    return Value(sum(held) / len(held), len(held))
