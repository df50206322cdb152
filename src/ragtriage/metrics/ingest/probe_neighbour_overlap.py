"""How many nearest neighbours of a probe stay its neighbours."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.index_views import ProbeView
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Neighbour overlap@k of probes",
    unit="fraction of the first k neighbours",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG: drift of embeddings",
)
def probe_neighbour_overlap(view: ProbeView, *, k: int) -> Score:
    """Share of the k nearest other probes by the old vectors that are among the k nearest by the new ones.

    What a search returns depends on neighbours alone, so this compares two models too, whatever their axes and
    dimensions. Support: k. Undefined where neighbours were not searched, where a vector has no direction (zeros) and
    so no neighbours, and for fewer than k other probes.

    >>> import numpy as np
    >>> nothing = np.zeros(1)
    >>> probe_neighbour_overlap(ProbeView("p", nothing, nothing, ("a", "b"), ("b", "c")), k=2)
    Value(value=0.5, support=2)
    """
    if k < 1:
        raise ValueError(f"k must be 1 or more. Got {k} instead")
    if view.old_neighbours is None or view.new_neighbours is None:
        return Undefined("the probe has no neighbours: its vector has no direction, or they were not searched")
    fewest = min(len(view.old_neighbours), len(view.new_neighbours))
    if fewest < k:
        return Undefined(f"k = {k} is more than the {fewest} other probes")
    return Value(len({*view.old_neighbours[:k]} & {*view.new_neighbours[:k]}) / k, support=k)
