"""Claims that are right although no context says so: what the model knew by itself."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined
from ragtriage.core.views import ClaimsView
from ragtriage.metrics.generation._claims import checked_claims, share_of_claims


@metric(
    title="Self-knowledge",
    unit="fraction of claims",
    bounds=(0, 1),
    better="neither",
    source="RAGChecker (Ru et al. 2024)",
    proxy=True,
    asks=("reference",),
)
def self_knowledge(view: ClaimsView) -> Score:
    """Share of the answer's claims that the context does not support and the reference supports.

    Faithfulness, hallucination and self-knowledge add up to 1. Undefined when no judge ran, when the answer makes no
    checkable claim, and when it was not compared with a reference.

    >>> from ragtriage.core.verdicts import ClaimVerdict
    >>> claim = ClaimVerdict(
    ...     claim_id="a1", of="answer", text="2%", start=0, end=2, context="not_in_context", reference="supported"
    ... )
    >>> self_knowledge(ClaimsView(claims=(claim,), reference=(), context_ids=("c1",)))
    Value(value=1.0, support=1)
    """
    claims = checked_claims(view)
    if isinstance(claims, Undefined):
        return claims
    if any(claim.context != "supported" and claim.reference is None for claim in claims):
        return Undefined("the answer was not compared with a reference")
    if all(claim.reference is None for claim in claims):
        return Undefined("there is no reference answer")
    return share_of_claims(view, lambda claim: claim.context != "supported" and claim.reference == "supported")
