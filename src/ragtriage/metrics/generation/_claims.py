"""Which claims of an answer count, and how they are counted."""

from __future__ import annotations

from collections.abc import Callable

from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.verdicts import ClaimVerdict
from ragtriage.core.views import ClaimsView

__all__ = ["NO_CLAIM", "checked_claims", "citation_pairs", "share_of_claims", "unplaced_citations"]

NO_CLAIM = "the answer makes no checkable claim"


def checked_claims(view: ClaimsView) -> tuple[ClaimVerdict, ...] | Undefined:
    """Return the claims of the answer that were held against the context, or why there are none."""
    if view.claims is None:
        return Undefined("no judge ran")
    if view.abstained:
        return Undefined("the answer refuses, so it makes no claim")
    claims = tuple(claim for claim in view.claims if claim.context is not None)
    return claims or Undefined(NO_CLAIM)


def share_of_claims(view: ClaimsView, counts: Callable[[ClaimVerdict], bool]) -> Score:
    """Return the share of the checked claims that count."""
    claims = checked_claims(view)
    if isinstance(claims, Undefined):
        return claims
    return Value(sum(map(counts, claims)) / len(claims), support=len(claims))


def citation_pairs(view: ClaimsView) -> list[tuple[ClaimVerdict, str]] | Undefined:
    """Return each (claim, id cited at it), or why there are none."""
    if view.claims is None:
        return Undefined("no judge ran")
    if view.citations is None:
        return Undefined("the trace records no citations")
    return [(claim, cited) for claim in view.claims for cited in claim.cited]


def unplaced_citations(view: ClaimsView) -> int:
    """Count the citations of the answer that stand at no claim; they support none."""
    placed = {cited for claim in view.claims or () for cited in claim.cited}
    return sum(cited not in placed for cited in view.citations or ())
