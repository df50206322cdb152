"""How far the vectors of a pinned probe set moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.index_views import ProbeView
from ragtriage.core.score import Score, Undefined, Value

if TYPE_CHECKING:
    from numpy.typing import NDArray


@metric(
    title="Embedding drift of probes",
    unit="1 - cosine",
    bounds=(0, 2),
    better="lower",
    source="Metrics for every stage of RAG: drift of embeddings",
)
def embedding_probe_drift(view: ProbeView) -> Score:
    """1 - cosine of the old and the new vector of one probe; the mean over the probe set is 1 - mean cosine.

    It speaks of two versions of one model. Two models have unrelated axes, and their cosines say nothing: compare
    neighbours then (`probe_neighbour_overlap`). Undefined where the two vectors differ in length or one of them has no
    direction (zeros), and so for an empty probe set.

    >>> import numpy as np
    >>> embedding_probe_drift(ProbeView("p", np.array([1.0, 0.0]), np.array([0.0, 2.0])))
    Value(value=1.0, support=1)
    """
    if len(view.old) != len(view.new):
        return Undefined(f"the vectors have {len(view.old)} and {len(view.new)} dimensions")
    old, new = _unit(view.old), _unit(view.new)
    if old is None or new is None:
        return Undefined("a vector without direction has no cosine")
    return Value(float(np.clip(1.0 - old @ new, 0.0, 2.0)), support=1)


def _unit(given: NDArray[np.floating]) -> NDArray[np.float64] | None:
    vector = np.asarray(given, dtype=np.float64)
    largest = np.abs(vector).max(initial=0.0)
    if not largest or not np.isfinite(largest):
        return None
    scaled = vector / largest  # so that no square under- or overflows
    return np.asarray(scaled / np.linalg.norm(scaled))
