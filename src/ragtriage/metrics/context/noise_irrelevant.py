"""Wrong claims that only irrelevant context items support."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score
from ragtriage.core.views import ClaimsView
from ragtriage.metrics.context._noise import noise


@metric(
    title="Noise from irrelevant items",
    unit="fraction of claims",
    bounds=(0, 1),
    better="lower",
    source="RAGChecker (Ru et al. 2024), noise sensitivity",
    proxy=True,
    asks=("reference",),
)
def noise_irrelevant(view: ClaimsView) -> Score:
    """Share of the answer's claims that are wrong by the reference and that only irrelevant context items support.

    An item is relevant when it holds gold evidence or supports a claim of the reference. Undefined when no judge ran,
    the answer makes no claim, there is no reference, or the trace records no context.

    >>> from ragtriage.core.verdicts import ClaimVerdict
    >>> right = ClaimVerdict(claim_id="1", of="answer", text="", start=0, end=0, reference="supported",
    ...                      items={"c1": "supported"})
    >>> wrong = ClaimVerdict(claim_id="2", of="answer", text="", start=0, end=0, reference="contradicted",
    ...                      items={"c1": "supported", "c2": "not_in_context"})
    >>> noise_irrelevant(ClaimsView((right, wrong), (), context_ids=("c1", "c2"), relevant_ids=frozenset({"c1"})))
    Value(value=0.0, support=2)
    """
    return noise(view, source="irrelevant")
