"""Views of query understanding: what rewriting, expanding and routing did to the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragtriage.core.rankings import RankingPair

__all__ = ["ExpansionPair", "FloorPair", "HydePair", "IntentView", "MultiQueryView", "Rm3Pair", "RouteView"]


class ExpansionPair(RankingPair):
    """The final ranking of the raw question, and that of the question as the system rewrote it."""


class HydePair(RankingPair):
    """The final ranking of the raw question, and that of a hypothetical answer (HyDE)."""


class Rm3Pair(RankingPair):
    """The final ranking of the raw question, and that of the question expanded by RM3."""


class FloorPair(RankingPair):
    """The final ranking of the question expanded by RM3, and that of the question as the system rewrote it."""


@dataclass(frozen=True, slots=True)
class MultiQueryView:
    """What each rewrite of a question found alone.

    `found`: for each rewrite in the order in which the system made them, the 1-based rank at which each needed unit of
    evidence (a group, or a document) came; None where the trace does not record a ranking for each rewrite. `needed`:
    the units that are needed.
    """

    needed: frozenset[str]
    found: tuple[Mapping[str, int], ...] | None


@dataclass(frozen=True, slots=True)
class IntentView:
    """The intent that a case is labelled with and the one that the system recognised; None: not recorded."""

    expected: str | None
    recognised: str | None


@dataclass(frozen=True, slots=True)
class RouteView:
    """The pipeline that a question belongs into and the one that it was sent to; None: not recorded."""

    expected: str | None
    taken: str | None
