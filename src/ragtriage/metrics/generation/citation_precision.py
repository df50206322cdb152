"""How many of the citations help to prove what they are cited for."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.verdicts import ClaimVerdict
from ragtriage.core.views import ClaimsView
from ragtriage.metrics.generation._claims import citation_pairs, unplaced_citations


@metric(
    title="Citation precision",
    unit="fraction of citations",
    bounds=(0, 1),
    better="higher",
    source="ALCE (Gao et al. 2023); Evaluating RAG, part 6",
    proxy=True,
)
def citation_precision(view: ClaimsView) -> Score:
    """Share of the citations that support their claim, alone or as a needed part of what is cited there together.

    A citation counts once for each claim it stands at. One that stands at no claim and one to an id that is not in the
    context support nothing and stay in the denominator. Undefined when no judge ran, when the trace records no
    citations, and when the answer cites nothing.

    >>> from ragtriage.core.verdicts import ClaimVerdict
    >>> claim = ClaimVerdict(claim_id="a1", of="answer", text="1%", start=0, end=2, context="supported",
    ...     items={"c1": "supported", "c2": "not_in_context"}, cited=("c1", "gone"), cited_together="supported")
    >>> citation_precision(
    ...     ClaimsView(claims=(claim,), reference=None, context_ids=("c1", "c2"), citations=("c1", "gone")))
    Value(value=0.5, support=2)
    """
    pairs = citation_pairs(view)
    if isinstance(pairs, Undefined):
        return pairs
    total = len(pairs) + unplaced_citations(view)
    if not total:
        return Undefined("the answer cites nothing")
    return Value(sum(_helps(claim, cited) for claim, cited in pairs) / total, support=total)


def _helps(claim: ClaimVerdict, cited: str) -> bool:
    """Say whether a citation supports its claim alone, or the claim is supported together and by no citation alone."""
    if claim.items.get(cited) == "supported":
        return True
    others_alone = any(claim.items.get(other) == "supported" for other in claim.cited)
    return cited in claim.items and claim.cited_together == "supported" and not others_alone
