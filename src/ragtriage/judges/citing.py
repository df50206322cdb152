"""A second look at claims whose citations show nothing: the judge may have quoted another passage that says the same.

The matrix is asked with all passages at once, and a judge that has found one good quote may stop looking. So a claim
that the passages state, but the cited ones by the matrix do not, is asked again with the cited passages alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ragtriage.core.verdicts import ClaimVerdict, Label
from ragtriage.judges.asking import Ask, Piece, Reading
from ragtriage.judges.calling import Asker, together
from ragtriage.judges.catalogue import RUBRICS

__all__ = ["looked_again"]


async def looked_again(
    asker: Asker, question: str, claims: Sequence[ClaimVerdict], sources: Sequence[Piece], documents: Mapping[str, str]
) -> tuple[ClaimVerdict, ...]:
    """Return the claims, those in doubt with what their cited passages say; raises AskFailed.

    `documents`: by context item the document it comes from, as a citation may name either.
    """
    groups: dict[tuple[Piece, ...], list[ClaimVerdict]] = defaultdict(list)
    for claim in claims:
        if claim.cited and claim.context == "supported" and claim.cited_together != "supported":
            shown = tuple(p for p in sources if p.key in claim.cited or documents.get(p.key) in claim.cited)
            if shown:
                groups[shown].append(claim)
    found = await together(*(_asked(asker, question, group, shown) for shown, group in groups.items()))
    again = {claim.claim_id: claim for group in found for claim in group}
    return tuple(again.get(claim.claim_id, claim) for claim in claims)


async def _asked(
    asker: Asker, question: str, claims: Sequence[ClaimVerdict], shown: tuple[Piece, ...]
) -> list[ClaimVerdict]:
    items = tuple(Piece(claim.claim_id, claim.text) for claim in claims)
    readings = await asker.ask(Ask(RUBRICS["citation_support"], {"question": question}, shown, items))
    return [_corrected(claim, reading) for claim, reading in zip(claims, readings, strict=True)]


def _corrected(claim: ClaimVerdict, reading: Reading) -> ClaimVerdict:
    """Write down what the cited passages say together, and which of them say all of it alone."""
    label: Label = reading.values["label"]
    alone = {place.key for place in reading.places if place.stance == "supports"}
    items = {key: "supported" if key in alone else said for key, said in claim.items.items()}
    return claim.model_copy(update={"cited_together": label, "items": items})
