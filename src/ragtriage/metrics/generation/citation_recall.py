"""How many claims are proved by what is cited at them."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ClaimsView
from ragtriage.metrics.generation._claims import checked_claims


@metric(
    title="Citation recall",
    unit="fraction of claims",
    bounds=(0, 1),
    better="higher",
    source="ALCE (Gao et al. 2023); Evaluating RAG, part 6",
    proxy=True,
)
def citation_recall(view: ClaimsView) -> Score:
    """Share of the answer's claims that their citations, taken together, support; every checkable claim needs one.

    Undefined when no judge ran, when the trace records no citations, and when the answer makes no checkable claim.

    >>> from ragtriage.core.verdicts import ClaimVerdict
    >>> claim = ClaimVerdict(claim_id="a1", of="answer", text="1%", start=0, end=2, context="supported")
    >>> citation_recall(ClaimsView(claims=(claim,), reference=None, context_ids=("c1",), citations=()))
    Value(value=0.0, support=1)
    """
    claims = checked_claims(view)
    if isinstance(claims, Undefined):
        return claims
    if view.citations is None:
        return Undefined("the trace records no citations")
    return Value(sum(claim.cited_together == "supported" for claim in claims) / len(claims), support=len(claims))
