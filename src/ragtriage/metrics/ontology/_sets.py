"""Overlap of two sets as precision, recall or F1, each with the denominator that makes sums over cases micro values."""

from __future__ import annotations

from typing import Literal

from ragtriage.core.score import Score, Undefined, Value

__all__ = ["NO_GOLD", "NO_LINKS", "Part", "overlap"]

Part = Literal["f1", "precision", "recall"]
NO_GOLD = "the case labels no entities"
NO_LINKS = "the trace records no entities"


def overlap(part: Part, *, both: int, gold: int, found: int, what: str) -> Score:
    """Return a part of the overlap of `gold` and `found` things, `both` of them the same; undefined over nothing."""
    top, bottom = {"f1": (2 * both, gold + found), "precision": (both, found), "recall": (both, gold)}[part]
    return Value(top / bottom, bottom) if bottom else Undefined(f"there is no {what} to count")
