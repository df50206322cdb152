"""Paired differences of a rank metric before and after a step on the same candidates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np

from ragtriage.core.score import Scores
from ragtriage.core.views import RankingPair, Rankings
from ragtriage.metrics.retrieval.ndcg import ndcg
from ragtriage.metrics.retrieval.precision import precision
from ragtriage.metrics.retrieval.reciprocal_rank import reciprocal_rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Measure", "check_same_candidates", "uplift"]

Measure = Literal["ndcg", "reciprocal_rank", "precision"]
_MEASURES: dict[str, Callable[[Rankings, int], Scores]] = {
    "ndcg": lambda rankings, k: ndcg(rankings, k=k),
    "reciprocal_rank": lambda rankings, k: reciprocal_rank(rankings, k=k),
    "precision": lambda rankings, k: precision(rankings, k=k),
}


def uplift(pair: RankingPair, *, of: Measure, k: int) -> Scores:
    """Return the measure after minus the measure before, one a question; raises ValueError for other candidates."""
    check_same_candidates(pair)
    before, after = _MEASURES[of](pair.before, k), _MEASURES[of](pair.after, k)
    both = (before.support > 0) & (after.support > 0)
    return Scores.ratio(after.values - before.values, both, undefined=before.undefined)


def check_same_candidates(pair: RankingPair) -> None:
    """Raise ValueError where the two sides of any question do not hold the same candidates.

    Ids are compared where both sides have them, else how many candidates there are of each grade.
    """
    before, after = pair.before, pair.after
    if before.ids is not None and after.ids is not None:
        differs = [row for row, (a, b) in enumerate(zip(before.ids, after.ids, strict=True)) if set(a) != set(b)]
    else:
        width = max(before.grades.shape[1], after.grades.shape[1])
        unlike = (_sorted_grades(before, width) != _sorted_grades(after, width)).any(axis=1)
        differs = np.flatnonzero(unlike).tolist()
    if differs:
        shown = ", ".join(str(row + 1) for row in differs[:5])
        raise ValueError(
            f"an uplift compares two orders of the same candidates. They differ in {len(differs)} "
            f"question{'s' if len(differs) > 1 else ''} (by place: {shown})"
        )


def _sorted_grades(rankings: Rankings, width: int) -> NDArray[np.int64]:
    missing = width - rankings.grades.shape[1]
    padded = np.pad(rankings.grades, ((0, 0), (0, missing)), constant_values=-1)
    return np.sort(padded, axis=1)
