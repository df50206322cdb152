"""Wrong claims by the kind of context item that supports them."""

from __future__ import annotations

from typing import Literal

from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ClaimsView

__all__ = ["noise"]


def noise(view: ClaimsView, *, source: Literal["relevant", "irrelevant"]) -> Score:
    """Return the wrong claims that a relevant item supports, or only irrelevant ones, / all claims of the answer.

    Wrong = the reference does not support it. Relevant = the item holds gold evidence or supports a claim of the
    reference.
    """
    if view.claims is None or view.reference is None:
        return Undefined("no judge ran")
    if not view.claims:
        return Undefined("the answer makes no claim")
    if any(claim.reference is None for claim in view.claims):
        return Undefined("the answer was not compared with a reference")
    if view.context_ids is None:
        return Undefined("the trace records no context")
    relevant = set(view.relevant_ids)
    for claim in view.reference:
        relevant |= _supporters(claim.items)
    wrong = [_supporters(claim.items) for claim in view.claims if claim.reference != "supported"]
    if source == "relevant":
        count = sum(not items.isdisjoint(relevant) for items in wrong)
    else:
        count = sum(bool(items) and items.isdisjoint(relevant) for items in wrong)
    return Value(count / len(view.claims), support=len(view.claims))


def _supporters(items: dict[str, Literal["supported", "contradicted", "not_in_context"]]) -> set[str]:
    return {item for item, label in items.items() if label == "supported"}
