"""The answer against the reference, claim by claim in both directions."""

from __future__ import annotations

from typing import Literal

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ClaimsView


@metric(
    title="Correctness",
    unit="claim F1, precision or recall",
    bounds=(0, 1),
    better="higher",
    source="RAGChecker (Ru et al. 2024): overall precision, recall, F1",
    proxy=True,
    asks=("reference",),
)
def correctness(view: ClaimsView, *, part: Literal["f1", "precision", "recall"] = "f1") -> Score:
    """Agreement of the answer with the reference.

    Precision: claims of the answer that the reference supports / claims of the answer. Recall: claims of the reference
    that the answer supports / claims of the reference. F1: their harmonic mean, 0 when both are 0; an answer that
    makes no claim has the recall alone. Undefined when no judge ran and when there is no reference; precision also when
    the answer makes no claim.

    >>> from ragtriage.core.verdicts import ClaimVerdict
    >>> right = ClaimVerdict(claim_id="a1", of="answer", text="1%", start=0, end=2, reference="supported")
    >>> wrong = ClaimVerdict(claim_id="a2", of="answer", text="2 days", start=4, end=9, reference="not_in_context")
    >>> wanted = ClaimVerdict(claim_id="r1", of="reference", text="1%", start=0, end=2, answer="supported")
    >>> round(correctness(ClaimsView(claims=(right, wrong), reference=(wanted,), context_ids=None)).value, 3)
    0.667
    """
    if view.claims is None or view.reference is None:
        return Undefined("no judge ran")
    wanted = [claim for claim in view.reference if claim.answer is not None]
    made = [claim for claim in view.claims if claim.reference is not None]
    precision = sum(claim.reference == "supported" for claim in made) / len(made) if made else None
    recall = sum(claim.answer == "supported" for claim in wanted) / len(wanted) if wanted else None
    if recall is None:
        return Undefined("there is no reference answer with a checkable claim")
    match part:
        case "precision":
            if precision is None:
                return Undefined("the answer makes no checkable claim")
            return Value(precision, support=len(made))
        case "recall":
            return Value(recall, support=len(wanted))
    support = len(made) + len(wanted)
    if precision is None:
        return Value(recall, support=support)
    both = precision + recall
    return Value(2 * precision * recall / both if both else 0.0, support=support)
