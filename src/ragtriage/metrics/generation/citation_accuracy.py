"""Whether the passage cited at a claim proves that very claim."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ClaimsView
from ragtriage.metrics.generation._claims import citation_pairs


@metric(
    title="Citation accuracy",
    unit="fraction of citations at claims",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG, lesson 7: citation accuracy",
    proxy=True,
)
def citation_accuracy(view: ClaimsView) -> Score:
    """Share of the citations at claims whose passage alone supports the very claim it stands at.

    A citation counts once for each claim it stands at. Undefined when no judge ran, when the trace records no
    citations, and when no citation stands at a claim.

    >>> from ragtriage.core.verdicts import ClaimVerdict
    >>> claim = ClaimVerdict(claim_id="a1", of="answer", text="1%", start=0, end=2, context="supported",
    ...     items={"c1": "supported", "c2": "not_in_context"}, cited=("c2",), cited_together="not_in_context")
    >>> citation_accuracy(ClaimsView(claims=(claim,), reference=None, context_ids=("c1", "c2"), citations=("c2",)))
    Value(value=0.0, support=1)
    """
    pairs = citation_pairs(view)
    if isinstance(pairs, Undefined):
        return pairs
    if not pairs:
        return Undefined("no citation stands at a claim")
    right = sum(claim.items.get(cited) == "supported" for claim, cited in pairs)
    return Value(right / len(pairs), support=len(pairs))
