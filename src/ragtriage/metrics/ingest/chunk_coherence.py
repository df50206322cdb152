"""How much more alike the sentences of one chunk are than those on two sides of a border."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from ragtriage.core.chunk_views import SentencesView
from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TWO = 2


@metric(
    title="Chunk coherence",
    unit="difference of mean cosines",
    bounds=(-2, 2),
    better="higher",
    source="Metrics for every stage of RAG: chunk coherence",
)
def chunk_coherence(view: SentencesView, *, pairs: Literal["every", "adjacent"] = "every") -> Score:
    """Mean cosine of pairs of sentences within a chunk minus that of pairs across the border of two neighbours.

    `every`: all pairs of a chunk, and all of one sentence in a chunk and another in the next. `adjacent`: only a
    sentence and the one that follows it, so that distance in the text has no part. A pair that an overlap puts into one
    chunk and across a border counts as within; a sentence without direction (a zero vector) is in no pair. Support:
    pairs. Undefined without vectors, for one chunk or one sentence, and where either kind of pair does not occur.

    >>> import numpy as np
    >>> chunk_coherence(SentencesView(np.array([[1, 0], [1, 0], [0, 1]]), chunks=((0, 1), (2,))))
    Value(value=1.0, support=3)
    """
    if view.vectors is None:
        return Undefined("no embedder gave vectors of the sentences")
    filled = [chunk for chunk in view.chunks if chunk]
    if len(filled) < _TWO or len(view.vectors) < _TWO:
        return Undefined("one chunk or one sentence has nothing to compare")
    within = {(a, b) for chunk in filled for a in chunk for b in chunk if a < b}
    across = {(min(a, b), max(a, b)) for one, other in pairwise(filled) for a in one for b in other}
    across = {(a, b) for a, b in across if a != b} - within
    unit, directed = _unit(view.vectors)
    means = []
    count = 0
    for name, kind in (("within a chunk", within), ("across a border", across)):
        kept = [(a, b) for a, b in sorted(kind) if directed[a] and directed[b] and (pairs == "every" or b == a + 1)]
        if not kept:
            return Undefined(f"no pair of sentences stands {name}")
        firsts, seconds = ([pair[side] for pair in kept] for side in (0, 1))
        means.append(float((unit[firsts] * unit[seconds]).sum(axis=1).clip(-1, 1).mean()))
        count += len(kept)
    return Value(means[0] - means[1], support=count)


def _unit(vectors: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the rows at length 1, and which of them have a direction."""
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    rows = np.asarray(vectors, dtype=np.float64)
    largest = np.abs(rows).max(axis=1, initial=0.0)
    directed = np.isfinite(largest) & (largest > 0)
    rows = np.where(directed[:, None], rows, 1.0) / np.where(directed, largest, 1.0)[:, None]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), directed
