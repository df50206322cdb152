"""Nuggets for a case that has none: written from its reference and its evidence, never from what a system retrieved.

So they are the same for every system, and people can read and mend them before anything is measured by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtriage.core.records import Nugget
from ragtriage.judges.asking import Ask, Piece, Place
from ragtriage.judges.calling import Asker
from ragtriage.judges.catalogue import RUBRICS

__all__ = ["Written", "nuggets_of"]


@dataclass(frozen=True, slots=True)
class Written:
    """A nugget with the places of the sources that state it; `Place.key` is `reference` or an evidence's document."""

    nugget: Nugget
    places: tuple[Place, ...]


async def nuggets_of(asker: Asker, question: str, sources: Sequence[Piece]) -> tuple[Written, ...]:
    """Return the nuggets that the sources hold, each told to be vital or okay; raises AskFailed.

    One that no quote shows is left out, and so is one that was written before in the same words.
    """
    found = await asker.ask(Ask(RUBRICS["nugget_creation"], {"question": question}, tuple(sources)))
    written: dict[str, tuple[str, tuple[Place, ...]]] = {}
    for reading in found:
        text = " ".join(reading.values["nugget"].split())
        if text and reading.places:
            written.setdefault(text.casefold(), (text, reading.places))
    if not written:
        return ()
    kept = list(written.values())
    items = tuple(Piece(str(place), text) for place, (text, _) in enumerate(kept))
    told = await asker.ask(Ask(RUBRICS["nugget_importance"], {"question": question}, (), items))
    return tuple(
        Written(Nugget(text=text, importance=reading.values["importance"]), places)
        for (text, places), reading in zip(kept, told, strict=True)
    )
