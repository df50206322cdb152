"""Claims that the context speaks against."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score
from ragtriage.core.views import ClaimsView
from ragtriage.metrics.generation._claims import share_of_claims


@metric(
    title="Contradiction rate",
    unit="fraction of claims",
    bounds=(0, 1),
    better="lower",
    source="Measuring RAG (guide): supported, contradicted or not in context",
    proxy=True,
)
def contradiction_rate(view: ClaimsView) -> Score:
    """Share of the answer's claims that the context contradicts.

    With `faithfulness` and `unsupported_rate` it adds up to 1. Undefined as they are: no judge ran, no checkable claim.

    >>> from ragtriage.core.verdicts import ClaimVerdict
    >>> claim = ClaimVerdict(claim_id="a1", of="answer", text="2%", start=0, end=2, context="contradicted")
    >>> contradiction_rate(ClaimsView(claims=(claim,), reference=None, context_ids=("c1",)))
    Value(value=1.0, support=1)
    """
    return share_of_claims(view, lambda claim: claim.context == "contradicted")
