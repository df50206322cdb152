"""A model holds one text against one context: its claims, the worst label, the mean score."""

from __future__ import annotations

from ragtriage.core.verdicts import Label, SourceSpan
from ragtriage.judges.asking import Ask, Piece
from ragtriage.judges.calling import Asker
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.evidence import Finding
from ragtriage.judges.matrix import SCORES, stated_of

__all__ = ["verify_by_model"]

_WORST: tuple[Label, ...] = ("contradicted", "not_in_context", "supported")
_SHOWS = {"supported": {"supports", "supports_partly"}, "contradicted": {"contradicts"}}


async def verify_by_model(asker: Asker, claim: str, context: str, *, sample: int = 0) -> Finding:
    """Return the worst label of a text's claims, their mean score and the spans that show them.

    A text without a claim is not in the context; so is any claim where there is no context. Raises AskFailed.
    """
    if not claim.strip() or not context.strip():
        return Finding("not_in_context", 0.0)
    found = stated_of(await asker.ask(Ask(RUBRICS["claim_extraction"], {"question": "", "text": claim}, sample=sample)))
    if not found:
        return Finding("not_in_context", 0.0)
    items = tuple(Piece(str(i), one.text) for i, one in enumerate(found))
    ask = Ask(RUBRICS["claim_support"], {"question": ""}, (Piece("context", context),), items, sample=sample)
    readings = await asker.ask(ask)
    labels: list[Label] = [reading.values["label"] for reading in readings]
    spans = [
        SourceSpan(id=place.key, start=place.start, end=place.end)
        for label, reading in zip(labels, readings, strict=True)
        for place in reading.places
        if place.stance in _SHOWS.get(label, set())
    ]
    worst = min(labels, key=_WORST.index)
    return Finding(worst, sum(SCORES[label] for label in labels) / len(labels), tuple(dict.fromkeys(spans)))
