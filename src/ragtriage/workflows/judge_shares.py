"""How often a label would be given if people had judged everything: a judge on all, people on some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtriage.stats.correction import LEAST_LABELS, Corrected, ppi_mean, rogan_gladen

__all__ = ["Shares", "shares_of"]

_LEAST_REST = 2


@dataclass(frozen=True, slots=True)
class Shares:
    """The judge's own share of a label, and the same corrected by the labels in two ways.

    `raw` is None where the judge said nothing. A correction is None where it was refused; `refused` says why.
    """

    raw: float | None
    ppi: Corrected | None = None
    rogan_gladen: Corrected | None = None
    refused: tuple[str, ...] = ()


def shares_of(said: Sequence[tuple[bool, bool | None]]) -> Shares:
    """Return the shares; `said`: of each item whether the judge gave the label, and whether people did (None: unknown).

    Under 30 labels, and where no item lacks one, nothing is corrected. Rogan-Gladen is also refused where people gave
    one label alone, and where the judge is no better than chance.
    """
    if not said:
        return Shares(None)
    raw = sum(judge for judge, _ in said) / len(said)
    both = [(judge, people) for judge, people in said if people is not None]
    rest = [judge for judge, people in said if people is None]
    if len(both) < LEAST_LABELS:
        return Shares(raw, refused=(f"{len(both)} labels; a correction needs {LEAST_LABELS}",))
    if len(rest) < _LEAST_REST:
        return Shares(raw, refused=("every item has a label, so there is nothing to correct",))
    judges, people = [judge for judge, _ in both], [label for _, label in both]
    ppi = ppi_mean([float(one) for one in rest], [float(one) for one in judges], [float(one) for one in people])
    try:
        adjusted = rogan_gladen([judge for judge, _ in said], judges, people)
    except ValueError as error:
        return Shares(raw, ppi, refused=(f"Rogan-Gladen: {error}",))
    return Shares(raw, ppi, adjusted)
