"""How much of the first k says again what stood above it."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import RedundancyView
from ragtriage.text.similarity import near_duplicates

_PAIR = 2


@metric(
    title="Redundancy of the results",
    unit="fraction of the first k results",
    bounds=(0, 1),
    better="lower",
    source="Broder 1997 (shingles)",
)
def redundancy(view: RedundancyView, *, k: int, threshold: float = 0.8) -> Score:
    """Share of the first k results that nearly repeat an earlier one (Jaccard of word shingles >= `threshold`).

    Of a shorter list, the share of its results. Undefined when k or the list is shorter than 2, or the text of a result
    is not known.

    >>> texts = ("The fee is one percent.", "the fee is one percent", "Open on Sunday.", "The fee is one percent!")
    >>> redundancy(RedundancyView(texts), k=4)
    Value(value=0.5, support=4)
    """
    if view.texts is None:
        return Undefined("the text of a result is not known")
    first = view.texts[:k]
    if len(first) < _PAIR:
        return Undefined("fewer than two results to compare")
    repeats = sum(earlier is not None for earlier in near_duplicates(first, threshold=threshold))
    return Value(repeats / len(first), support=len(first))
