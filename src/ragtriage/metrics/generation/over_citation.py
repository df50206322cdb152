"""Citations that prove nothing beside others that already do."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.verdicts import ClaimVerdict
from ragtriage.core.views import ClaimsView
from ragtriage.metrics.generation._claims import citation_pairs


@metric(
    title="Over-citation",
    unit="fraction of citations at claims",
    bounds=(0, 1),
    better="lower",
    source="ALCE (Gao et al. 2023): a citation is irrelevant that supports nothing alone and is not missed",
    proxy=True,
)
def over_citation(view: ClaimsView) -> Score:
    """Share of the citations at claims that are not needed: alone they support nothing, and another alone is enough.

    Undefined when no judge ran, when the trace records no citations, and when no citation stands at a claim.

    >>> from ragtriage.core.verdicts import ClaimVerdict
    >>> claim = ClaimVerdict(claim_id="a1", of="answer", text="1%", start=0, end=2, context="supported",
    ...     items={"c1": "supported", "c2": "not_in_context"}, cited=("c1", "c2"), cited_together="supported")
    >>> over_citation(ClaimsView(claims=(claim,), reference=None, context_ids=("c1", "c2"), citations=("c1", "c2")))
    Value(value=0.5, support=2)
    """
    pairs = citation_pairs(view)
    if isinstance(pairs, Undefined):
        return pairs
    if not pairs:
        return Undefined("no citation stands at a claim")
    return Value(sum(_is_unneeded(claim, cited) for claim, cited in pairs) / len(pairs), support=len(pairs))


def _is_unneeded(claim: ClaimVerdict, cited: str) -> bool:
    alone = {other: claim.items.get(other) == "supported" for other in claim.cited}
    return not alone[cited] and any(alone.values())
