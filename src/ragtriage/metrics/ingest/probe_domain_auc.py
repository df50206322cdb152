"""How well a classifier tells the new vectors of a probe set from the old ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.index_views import ProbeView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.stats.domain_classifier import FOLDS, HeldOut, held_out

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _redraws(views: Sequence[ProbeView], *, ridge: float = 1.0) -> Callable[[Sequence[int]], Score]:
    """Return what scores a resample of the probes: the classifiers stay those that all of them fitted."""
    found = _held_out(views, ridge)

    def again(places: Sequence[int]) -> Score:
        if isinstance(found, Undefined):
            return found
        times = np.bincount(np.asarray(places, dtype=np.int64), minlength=len(views))
        return _area(found, times, support=len(places))

    return again


@metric(
    title="Domain-classifier AUC of probes",
    unit="area under the ROC curve",
    bounds=(0, 1),
    better="lower",
    source="Rabanser et al. 2019, domain classifier",
    aggregate="set",
    redraws=_redraws,
)
def probe_domain_auc(views: Sequence[ProbeView], *, ridge: float = 1.0) -> Score:
    """Chance that a linear classifier ranks a new vector above an old one, on probes that it was not fitted on.

    0.5: the two cannot be told apart; 1: every vector tells which side made it. Vectors are taken at length 1. Five
    folds, by the id of the probe, so that both vectors of a probe, and its repeats, stand in one fold; `ridge` weighs
    the penalty on the classifier's coefficients. An interval draws probes anew and fits nothing again. Support: probes.
    Undefined for fewer than 5 different probes, and where the vectors have more than one length.

    >>> import numpy as np
    >>> probes = [ProbeView(f"p{n}", np.array([n, 1.0]), np.array([n, 1.0])) for n in range(9)]
    >>> probe_domain_auc(probes)
    Value(value=0.5, support=9)
    """
    found = _held_out(views, ridge)
    return found if isinstance(found, Undefined) else _area(found, np.ones(len(views), dtype=np.int64), len(views))


def _held_out(views: Sequence[ProbeView], ridge: float) -> HeldOut | Undefined:
    if len({len(side) for view in views for side in (view.old, view.new)}) > 1:
        return Undefined("the vectors have more than one number of dimensions")
    if len({view.probe_id for view in views}) < FOLDS:
        return Undefined(f"fewer than {FOLDS} different probes")
    ids = [view.probe_id for view in views]
    old, new = (np.array([getattr(view, side) for view in views], dtype=np.float64) for side in ("old", "new"))
    return held_out(old, new, groups=(ids, ids), ridge=ridge)


def _area(found: HeldOut, times: NDArray[np.integer], support: int) -> Score:
    area = found.auc((times, times))
    return Undefined("no fold holds a probe") if area is None else Value(area, support=support)
