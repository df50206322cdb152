"""Hold a vector index against exact search: recall, and how fast it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtriage.core.clock import Clock, SystemClock
from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.index_views import NeighboursView
from ragtriage.core.score import Outcome, Undefined
from ragtriage.data.vector_files import VectorSet
from ragtriage.metrics.ingest.ann_recall import ann_recall
from ragtriage.models.index_ports import VectorIndex
from ragtriage.stats.nearest import Distance, Neighbours, exact_neighbours, prepared, similarities
from ragtriage.workflows.averages import Average, average

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Answers",
    "IndexScore",
    "Truth",
    "ask_index",
    "measure_index",
    "neighbour_views",
    "prepared_sets",
    "score_answers",
]


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
        return cls.among(rows, asked, depth=depth, distance=distance, allowed=allowed)

    @classmethod
    def among(
        cls,
        vectors: NDArray[np.float32],
        queries: NDArray[np.float32],
        *,
        depth: int,
        distance: Distance = "cosine",
        allowed: NDArray[np.bool_] | None = None,
    ) -> Truth:
        """Search exactly, `depth` deep, among vectors that are prepared; raises ValueError where they do not fit."""
        found = exact_neighbours(vectors, queries, k=depth, distance=distance, allowed=allowed)
        return cls(vectors, queries, distance, found, allowed)

    @property
    def size(self) -> int:
        """How many items could be found."""
        return len(self.vectors) if self.allowed is None else int(self.allowed.sum())


def prepared_sets(
    items: VectorSet, asking: VectorSet, *, distance: Distance
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return vectors that were read, of items and of queries, as an index compares them.

    Raises BadInput with what keeps either from it: no vector, numbers too large, another number of dimensions.
    """
    faults, tables = [], []
    for one in (items, asking):
        try:
            tables.append(prepared(one.vectors, distance=distance))
        except ValueError as error:
            faults.append(Fault(one.identity, 0, str(error)))
        if not len(one.ids):
            faults.append(Fault(one.identity, 0, "holds no vector"))
    widths = [one.vectors.shape[1] for one in (items, asking)]
    if not faults and widths[0] != widths[1]:
        told = f"holds vectors of {widths[1]} numbers, and {items.identity} of {widths[0]}"
        faults.append(Fault(asking.identity, 0, told))
    if faults:
        raise BadInput("the vectors cannot be compared:", faults)
    return tables[0], tables[1]


def neighbour_views(found: Neighbours, truth: Truth) -> Iterator[NeighboursView | Undefined]:
    """Yield what the metrics see of each query, in order: what was found beside what is true.

    An item that the filter of the truth excludes has no similarity that counts: it is as far as an item can be. A query
    of zeros has no nearest items by cosine.
    """
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    depth = min(truth.size, truth.neighbours.places.shape[1])
    for row, places in enumerate(found.places):
        if truth.distance == "cosine" and not truth.queries[row].any():
            yield Undefined("the vector of the query has no direction: it is all zeros")
            continue
        kept = places[places >= 0]
        near = similarities(truth.vectors, kept, truth.queries, np.full(len(kept), row), distance=truth.distance)
        if truth.allowed is not None:
            near = np.where(truth.allowed[kept], near, -np.inf)
        yield NeighboursView(kept, near, truth.neighbours.scores[row, :depth], size=truth.size)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What an index answered: `places` int [queries, k], -1 past the end, and `took_ms` float [queries]."""

    places: NDArray[np.int64]
    took_ms: NDArray[np.float64]


def ask_index(
    index: VectorIndex,
    truth: Truth,
    *,
    k: int,
    repeats: int = 1,
    clock: Clock | None = None,
    heard: Callable[[], None] = lambda: None,
) -> Answers:
    """Ask an index every query of the truth, one at a time as users do; `heard` is called after each.

    `repeats`: rounds over all queries, of which the fastest counts for each query, and the first for what was found.
    Raises ValueError where the index holds another number of items than the truth, and what the index raises.
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
            heard()
    return Answers(places, took)


def score_answers(answers: Answers, truth: Truth, *, index: str, k: int, seed: int = 0) -> IndexScore:
    """Hold answers against the truth; `index` names what gave them, `seed` draws the interval."""
    import numpy as np  # noqa: PLC0415

    views = neighbour_views(Neighbours(answers.places, np.zeros(answers.places.shape)), truth)
    outcomes: list[Outcome] = [view if isinstance(view, Undefined) else ann_recall(view, k=k) for view in views]
    total = float(answers.took_ms.sum())
    return IndexScore(
        index,
        k,
        len(truth.vectors),
        average(outcomes, population="queries", seed=seed),
        queries_per_s=1000 * len(answers.took_ms) / total if total > 0 else None,
        ms_per_query=float(np.median(answers.took_ms)) if total > 0 else None,
    )


def measure_index(
    index: VectorIndex, truth: Truth, *, k: int = 10, repeats: int = 1, clock: Clock | None = None, seed: int = 0
) -> IndexScore:
    """Ask an index every query and hold what it found against the truth.

    `repeats`: as in `ask_index`. `clock` times the queries (None: the machine's); `seed` draws the interval. Raises
    ValueError where the index holds another number of items than the truth, and what the index raises.

    >>> import numpy as np
    >>> from ragtriage.models.index_ports import ExactIndex
    >>> truth = Truth.of(np.eye(4), np.eye(4), depth=2)
    >>> measure_index(ExactIndex(truth.vectors), truth, k=1).recall.value
    1.0
    """
    answers = ask_index(index, truth, k=k, repeats=repeats, clock=clock)
    return score_answers(answers, truth, index=index.identity, k=k, seed=seed)
