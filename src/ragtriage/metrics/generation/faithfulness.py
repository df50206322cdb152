"""How much of the answer stands in what the generator was given."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score
from ragtriage.core.views import ClaimsView
from ragtriage.metrics.generation._claims import share_of_claims


@metric(
    title="Faithfulness",
    unit="fraction of claims",
    bounds=(0, 1),
    better="higher",
    source="Ragas; Measuring RAG, lesson 7; Evaluating RAG, part 6",
    proxy=True,
)
def faithfulness(view: ClaimsView) -> Score:
    """Share of the answer's claims that the context supports.

    Undefined when no judge ran and when the answer makes no checkable claim: a refusal, a greeting. An answer without
    any context is not undefined: its claims stand in no context.

    >>> from ragtriage.core.verdicts import ClaimVerdict
    >>> claims = tuple(
    ...     ClaimVerdict(claim_id=text, of="answer", text=text, start=0, end=1, context=label)
    ...     for text, label in [("1%", "supported"), ("5 000 ₸", "supported"), ("отделение", "not_in_context"),
    ...                         ("1 день", "not_in_context")]
    ... )
    >>> faithfulness(ClaimsView(claims=claims, reference=None, context_ids=("c1",)))
    Value(value=0.5, support=4)
    """
    return share_of_claims(view, lambda claim: claim.context == "supported")
