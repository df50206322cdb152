"""How much of what the model was given it used."""

from __future__ import annotations

from typing import Literal

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ClaimsView


@metric(
    title="Context utilisation",
    unit="fraction of context items (form cited) or of gold claims in the context (form claim)",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 6; RAGChecker (Ru et al. 2024)",
    proxy=True,
    asks=("reference",),
)
def utilisation(view: ClaimsView, *, form: Literal["cited", "claim"] = "cited") -> Score:
    """Share of the context that shows in the answer.

    Form `cited`: context items that are cited or in which a supported claim of the answer lies / context items. Form
    `claim`: claims of the reference that the context supports and the answer makes / those that the context supports.
    Undefined when the context is not recorded or empty, when neither citations nor verdicts are there; form `claim`:
    when no judge ran, there is no reference, or the context supports none of its claims.

    >>> utilisation(ClaimsView(claims=None, reference=None, context_ids=("c1", "c2"), citations=("c1", "c1")))
    Value(value=0.5, support=2)
    """
    if form == "claim":
        return _claims_that_reach_the_answer(view)
    if not view.context_ids:
        return Undefined("the trace records no context" if view.context_ids is None else "the context is empty")
    if view.citations is None and view.claims is None:
        return Undefined("the trace records no citations and no judge ran")
    used = set(view.citations or ())
    used |= {span.id for claim in view.claims or () if claim.context == "supported" for span in claim.spans}
    items = set(view.context_ids)
    return Value(len(items & used) / len(items), support=len(items))


def _claims_that_reach_the_answer(view: ClaimsView) -> Score:
    if view.reference is None:
        return Undefined("no judge ran")
    found = [claim for claim in view.reference if claim.context == "supported"]
    if not view.reference:
        return Undefined("there is no reference answer")
    if not found:
        return Undefined("the context supports no claim of the reference")
    if any(claim.answer is None for claim in found):
        return Undefined("the judge did not compare the reference with the answer")
    return Value(sum(claim.answer == "supported" for claim in found) / len(found), support=len(found))
