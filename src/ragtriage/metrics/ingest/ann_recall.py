"""How many of the true nearest neighbours an approximate index finds."""

from __future__ import annotations

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.index_views import NeighboursView
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="ANN recall@k",
    unit="fraction of the exact first k",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG: the vector index; ann-benchmarks (Aumueller et al. 2020)",
)
def ann_recall(view: NeighboursView, *, k: int, tolerance: float = 1e-6) -> Score:
    """Share of the exact first k that stand in the first k of the index; whatever ties with the k-th is accepted.

    A result counts where its exact similarity reaches that of the exact k-th, less `tolerance` times the largest
    similarity in size, by which single precision may differ. Of a repeated result the first counts, and it takes no
    place twice. Support: k. Undefined when k is more than there are items, or exact search went less deep.

    >>> import numpy as np
    >>> exact, found = np.array([0.9, 0.8, 0.8]), np.array([0.9, 0.7])
    >>> ann_recall(NeighboursView(np.array([4, 1]), found, exact, size=3), k=2)
    Value(value=0.5, support=2)
    """
    if k < 1:
        raise ValueError(f"k must be 1 or more. Got {k} instead")
    if k > view.size:
        return Undefined(f"k = {k} is more than the {view.size} items that could be found")
    if k > len(view.exact):
        return Undefined(f"exact search went {len(view.exact)} deep, which is less than k = {k}")
    _, first = np.unique(view.found, return_index=True)
    kept = np.sort(first[view.found[first] >= 0])[:k]
    best = np.asarray(view.exact[:k], dtype=np.float64)
    lowest = best[-1] - tolerance * np.abs(best).max()
    hits = int((np.asarray(view.similarity, dtype=np.float64)[kept] >= lowest).sum())
    return Value(hits / k, support=k)
