"""Hold a vector index against exact search: recall, and how fast it answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtriage.core.clock import Clock, SystemClock
from ragtriage.core.index_views import NeighboursView
from ragtriage.metrics.ingest.ann_recall import ann_recall
from ragtriage.models.index_ports import VectorIndex
from ragtriage.stats.nearest import Distance, Neighbours, exact_neighbours, prepared, similarities
from ragtriage.workflows.averages import Average, average

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["IndexScore", "Truth", "measure_index", "neighbour_views"]


@dataclass(frozen=True, slots=True)
class IndexScore:
    """What one index reached: ANN recall@k over queries, queries a second, and milliseconds a query.

    `queries_per_s` and `ms_per_query` (median) are None where the clock moved too little to tell.
    """

    index: str
    k: int
    items: int
    recall: Average
    queries_per_s: float | None
    ms_per_query: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The exact neighbours of some queries, computed once and used for every index over the same vectors.

    `vectors` and `queries` float [rows, dimensions], as `prepared`; `allowed` bool [vectors]: what may be found.
    """

    vectors: NDArray[np.float32]
    queries: NDArray[np.float32]
    distance: Distance
    neighbours: Neighbours
    allowed: NDArray[np.bool_] | None

    @classmethod
    def of(
        cls,
        vectors: ArrayLike,
        queries: ArrayLike,
        *,
        depth: int,
        distance: Distance = "cosine",
        allowed: NDArray[np.bool_] | None = None,
    ) -> Truth:
        """Search exactly, `depth` deep; raises ValueError for vectors that do not fit or are not finite."""
        rows, asked = prepared(vectors, distance=distance), prepared(queries, distance=distance)
        found = exact_neighbours(rows, asked, k=depth, distance=distance, allowed=allowed)
        return cls(rows, asked, distance, found, allowed)

    @property
    def size(self) -> int:
        """How many items could be found."""
        return len(self.vectors) if self.allowed is None else int(self.allowed.sum())


def neighbour_views(found: Neighbours, truth: Truth) -> Iterator[NeighboursView]:
    """Yield what the metrics see of each query, in order: what was found beside what is true.

    An item that the filter of the truth excludes has no similarity that counts: it is as far as an item can be.
    """
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    depth = min(truth.size, truth.neighbours.places.shape[1])
    for row, places in enumerate(found.places):
        kept = places[places >= 0]
        near = similarities(truth.vectors, kept, truth.queries, np.full(len(kept), row), distance=truth.distance)
        if truth.allowed is not None:
            near = np.where(truth.allowed[kept], near, -np.inf)
        yield NeighboursView(kept, near, truth.neighbours.scores[row, :depth], size=truth.size)


def measure_index(
    index: VectorIndex, truth: Truth, *, k: int = 10, repeats: int = 1, clock: Clock | None = None, seed: int = 0
) -> IndexScore:
    """Ask an index every query, one at a time as users do, and hold what it found against the truth.

    `repeats`: rounds over all queries, of which the fastest counts for each query; the first round's results are held
    against the truth. `clock` times the queries (None: the machine's); `seed` draws the interval. Raises ValueError
    where the index holds another number of items than the truth, and what the index raises.

    >>> import numpy as np
    >>> from ragtriage.models.index_ports import ExactIndex
    >>> truth = Truth.of(np.eye(4), np.eye(4), depth=2)
    >>> measure_index(ExactIndex(truth.vectors), truth, k=1).recall.value
    1.0
    """
    import numpy as np  # noqa: PLC0415

    if index.size != len(truth.vectors):
        raise ValueError(f"the index holds {index.size} items and the truth was found among {len(truth.vectors)}")
    clock = SystemClock() if clock is None else clock
    places = np.full((len(truth.queries), k), -1, dtype=np.int64)
    took = np.full(len(truth.queries), np.inf)
    for turn in range(max(1, repeats)):
        for row in range(len(truth.queries)):
            started = clock.monotonic_ms()
            found = index.search(truth.queries[row : row + 1], k=k, allowed=truth.allowed)
            took[row] = min(took[row], clock.monotonic_ms() - started)
            if not turn:
                places[row, : found.places.shape[1]] = found.places[0, :k]
    views = neighbour_views(Neighbours(places, np.zeros(places.shape)), truth)
    recall = average((ann_recall(view, k=k) for view in views), population="queries", seed=seed)
    total = float(took.sum())
    return IndexScore(
        index.identity,
        k,
        index.size,
        recall,
        queries_per_s=1000 * len(took) / total if total > 0 else None,
        ms_per_query=float(np.median(took)) if total > 0 else None,
    )
