"""What the metrics of an index and of its embeddings may see: queries, probes, and what changed when.

Vectors and similarities are float; a higher similarity is nearer (cosine, inner product, or a distance times -1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ChangeView", "NeighboursView", "ProbeView", "ServedView"]


@dataclass(frozen=True, slots=True, eq=False)
class NeighboursView:
    """What an index found for one query, beside what exact search finds.

    `found`: places of the items that the index returned, nearest first; -1 for none. `similarity` float [found]: the
    exact similarity of each of them to the query. `exact` float [depth]: the similarities of the nearest items, highest
    first. `size`: items that could be found (those that a filter lets pass). `missing`: it was asked, nothing came.
    """

    population: ClassVar[str] = "queries"
    found: NDArray[np.int64]
    similarity: NDArray[np.floating]
    exact: NDArray[np.floating]
    size: int
    missing: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ProbeView:
    """One text of a pinned probe set under two embedders, or under two versions of one.

    `old`, `new` float [dimensions]: its vectors; the two sides may have other dimensions. `old_neighbours`,
    `new_neighbours`: ids of the other probes, nearest first by each side; None where they were not searched.
    """

    population: ClassVar[str] = "probes"
    probe_id: str
    old: NDArray[np.floating]
    new: NDArray[np.floating]
    old_neighbours: tuple[str, ...] | None = None
    new_neighbours: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChangeView:
    """One document that was written or deleted, and how long the index took to show it, in milliseconds.

    `lag_ms`: from the commit to the first search that shows the change; None where none did within `deadline_ms`.
    """

    population: ClassVar[str] = "events"
    kind: Literal["written", "deleted"]
    lag_ms: float | None
    deadline_ms: float


@dataclass(frozen=True, slots=True)
class ServedView:
    """One query that was served; `lagging`: a committed change was not yet searchable then; None: nothing tells."""

    lagging: bool | None
