"""One labelled item put to any judge by any rubric: what calibration asks, and the label that comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragtriage.core.errors import BadInput
from ragtriage.judges.asking import Ask, Piece
from ragtriage.judges.behaviour import read_behaviour
from ragtriage.judges.calling import Asker, AskFailed
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.rubric import Rubric
from ragtriage.judges.verifying import verify_by_model

__all__ = ["SUPPORT", "Said", "SingleItem", "ask_lexical", "ask_model", "check_item"]

SUPPORT = "claim_support"


@dataclass(frozen=True, slots=True)
class SingleItem:
    """What a rubric reads: plain inputs, sources to quote from, and one item where it answers item by item."""

    inputs: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    item: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A judge's label and, where it has one, how sure it is in [0, 1] of the first label of the rubric."""

    label: str
    score: float | None = None


def check_item(rubric: Rubric, item: SingleItem) -> str | None:
    """Say what an item lacks for a rubric; None where it can be asked."""
    if rubric.file.reply == "list":
        return f"{rubric.name} finds things and gives no label, so it has nothing to hold against people's labels"
    plain = set(rubric.file.inputs) - {"sources", "items", "question", "reference"}
    missing = sorted(plain - set(item.inputs))
    if "reference" in rubric.file.inputs and rubric.name != "pairwise_preference" and "reference" not in item.inputs:
        missing.append("reference")
    if missing:
        return f"its inputs lack {', '.join(map(repr, missing))}"
    if rubric.file.reply == "each" and item.item is None:
        return "it has no 'item'"
    if "sources" in rubric.file.inputs and not item.sources:
        return "it has no 'sources'"
    return None


def ask_lexical(rubric: str, item: SingleItem) -> Said:
    """Return what the judge that is code alone says; raises BadInput for a rubric that it does not know."""
    if rubric == SUPPORT:
        from ragtriage.judges.lexical import verify  # noqa: PLC0415 - loads its rules only where it judges

        found = verify(item.item or "", "\n\n".join(item.sources))
        return Said(found.label, found.score)
    if rubric == "abstention":
        return Said(read_behaviour(item.inputs.get("text", "")))
    raise BadInput(f"the lexical judge knows no {rubric!r}; it knows {SUPPORT!r} and 'abstention'")


async def ask_model(asker: Asker, rubric: str, item: SingleItem, *, sample: int = 0) -> Said:
    """Return what a model says; claims go the whole way, from extraction on. Raises AskFailed."""
    if rubric == SUPPORT:
        found = await verify_by_model(asker, item.item or "", "\n\n".join(item.sources), sample=sample)
        return Said(found.label, found.score)
    known = RUBRICS[rubric]
    sources = tuple(Piece(f"source {i}", text) for i, text in enumerate(item.sources))
    items = (Piece("item", item.item or ""),) if known.file.reply == "each" else ()
    inputs = {"question": "", **item.inputs}
    (reading,) = await asker.ask(Ask(known, inputs, sources, items, sample=sample))
    if known.file.decides is None:
        raise AskFailed("invalid", "the rubric decides nothing")
    value = reading.values[known.file.decides]
    return Said(str(value).lower() if isinstance(value, bool) else str(value))
