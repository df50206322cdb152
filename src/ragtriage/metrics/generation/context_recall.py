"""How much of the right answer could be read from the context at all."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ClaimsView


@metric(
    title="Context recall by claims",
    unit="fraction of reference claims",
    bounds=(0, 1),
    better="higher",
    source="Ragas: Context Recall; RAGChecker (Ru et al. 2024): claim recall",
    proxy=True,
    asks=("reference",),
)
def context_recall(view: ClaimsView) -> Score:
    """Share of the reference answer's claims that the context supports; several items may support one together.

    Undefined when no judge ran and when there is no reference answer with a checkable claim.

    >>> from ragtriage.core.verdicts import ClaimVerdict
    >>> claim = ClaimVerdict(claim_id="r1", of="reference", text="1%", start=0, end=2, context="supported")
    >>> context_recall(ClaimsView(claims=(), reference=(claim,), context_ids=("c1",)))
    Value(value=1.0, support=1)
    """
    if view.reference is None:
        return Undefined("no judge ran")
    claims = [claim for claim in view.reference if claim.context is not None]
    if not claims:
        return Undefined("there is no reference answer with a checkable claim")
    return Value(sum(claim.context == "supported" for claim in claims) / len(claims), support=len(claims))
