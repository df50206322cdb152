"""Whether a classifier can tell two sets of vectors apart: a linear one, cross-validated, by its area under the curve.

It sees what changes in single coordinates and in their weighted sums: a shifted mean, another axis. A change that
leaves every mean where it was escapes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtriage.core.identity import hash_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FOLDS", "HeldOut", "domain_auc", "fold_of", "held_out"]

FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class _Fold:
    """Held-out rows of one fold by their places: `new` int [new], and `old` int [old] in the order of their scores.

    Each new row stands above the first `below` of the old ones and ties with the others of the first `upto`.
    """

    new: NDArray[np.int64]
    old: NDArray[np.int64]
    below: NDArray[np.int64]
    upto: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """How every held-out row of `current` stands to those of `reference` in its fold; `rows`: how many there are."""

    rows: tuple[int, int]
    _folds: tuple[_Fold, ...]

    def auc(self, times: tuple[NDArray[np.integer], NDArray[np.integer]] | None = None) -> float | None:
        """Return the chance that a row of `current` scores above one of `reference`; ties count half.

        `times` int [rows] of each side: how often a row was drawn, None for once. The classifiers stay those that were
        fitted (LeDell et al. 2015 derive the interval of a cross-validated area so). None where no fold holds both.
        """
        import numpy as np  # noqa: PLC0415

        old_times, new_times = (
            times if times is not None else tuple(np.ones(rows, dtype=np.int64) for rows in self.rows)
        )
        above = pairs = 0.0
        for fold in self._folds:
            new, old = new_times[fold.new], old_times[fold.old]
            upto = np.concatenate([[0], np.cumsum(old)])
            above += float(new @ (upto[fold.below] + upto[fold.upto])) / 2
            pairs += float(new.sum()) * float(old.sum())
        return above / pairs if pairs else None


def domain_auc(
    reference: NDArray[np.floating],
    current: NDArray[np.floating],
    *,
    groups: tuple[Sequence[str], Sequence[str]],
    ridge: float = 1.0,
) -> float:
    """Return the chance that a held-out row of `current` scores above one of `reference`; ties count half.

    As `held_out` with the same arguments, and raises ValueError as it does.

    >>> import numpy as np
    >>> rows, names = np.eye(6), list("abcdef")
    >>> domain_auc(rows, rows, groups=(names, names))
    0.5
    """
    area = held_out(reference, current, groups=groups, ridge=ridge).auc()
    if area is None:
        raise ValueError("no fold holds rows of both sides")
    return area


def held_out(
    reference: NDArray[np.floating],
    current: NDArray[np.floating],
    *,
    groups: tuple[Sequence[str], Sequence[str]],
    ridge: float = 1.0,
) -> HeldOut:
    """Score every row by a classifier that was fitted on the other folds.

    Both float [rows, dimensions]; the numbers of rows may differ. `groups`: a name for each row of each side; rows of
    one name stand in one fold. Rows are taken at length 1 (zeros stay) and centred on the mean of those that the
    classifier is fitted on; it is ridge regression on the side, both sides weighing the same, with `ridge` as the
    penalty on coefficients for coordinates of unit variance in all. The areas of the folds are weighed by their pairs.
    Folds follow the order of hashed names, so the result depends on no order of rows and on no seed.
    Raises ValueError for fewer than 5 groups and for rows of different length.
    """
    import numpy as np  # noqa: PLC0415

    if reference.shape[1:] != current.shape[1:]:
        raise ValueError(f"rows of {reference.shape[1:]} and {current.shape[1:]} numbers cannot be told apart fairly")
    folds = fold_of([*groups[0], *groups[1]])
    rows = _unit(np.concatenate([reference, current]).astype(np.float64))
    side = np.repeat([-1.0, 1.0], [len(reference), len(current)])
    place = np.concatenate([np.arange(len(reference)), np.arange(len(current))])
    order = np.lexsort((side, *rows.T[::-1]))  # sums in one order, whatever the order of rows
    folds, rows, side, place = folds[order], rows[order], side[order], place[order]
    found = []
    for fold in range(FOLDS):
        held = folds == fold
        new, old = held & (side > 0), held & (side < 0)
        if new.any() and old.any() and len(set(side[~held])) > 1:
            scores = _scores(rows[~held], side[~held], rows[held], ridge)
            found.append(_fold(scores[side[held] > 0], scores[side[held] < 0], place[new], place[old]))
    return HeldOut((len(reference), len(current)), tuple(found))


def fold_of(groups: Sequence[str]) -> NDArray[np.int64]:
    """Return the fold of each row: groups in the order of their hashes, dealt in turn; raises ValueError under 5.

    >>> sorted(fold_of(["a", "b", "c", "d", "e", "a"]).tolist())[-1], len(set(fold_of(list("abcde")).tolist()))
    (4, 5)
    """
    import numpy as np  # noqa: PLC0415

    names = sorted(set(groups), key=lambda name: hash_bytes(name.encode("utf-8", "surrogatepass")))
    if len(names) < FOLDS:
        raise ValueError(f"{FOLDS} folds need at least {FOLDS} groups. Got {len(names)} instead")
    dealt = {name: place % FOLDS for place, name in enumerate(names)}
    return np.array([dealt[name] for name in groups], dtype=np.int64)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    largest = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    scaled = rows / np.where(largest > 0, largest, 1.0)  # so that no square under- or overflows
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.asarray(scaled / np.where(lengths > 0, lengths, 1.0))


def _scores(
    fitted: NDArray[np.float64], side: NDArray[np.float64], held: NDArray[np.float64], ridge: float
) -> NDArray[np.float64]:
    """Fit ridge regression on the side, in its dual form where there are more coordinates than rows; score `held`."""
    import numpy as np  # noqa: PLC0415

    weight = np.where(side > 0, 0.5 / (side > 0).sum(), 0.5 / (side < 0).sum())  # sums to 1
    mean = weight @ fitted
    root = np.sqrt(weight)[:, None]
    rows, target = (fitted - mean) * root, side * root[:, 0]
    spread = float((rows**2).sum()) / rows.shape[1] if rows.shape[1] else 0.0
    if spread <= 0.0:
        return np.zeros(len(held))
    penalty = ridge * spread
    if rows.shape[0] < rows.shape[1]:
        dual = np.linalg.solve(rows @ rows.T + penalty * np.eye(len(rows)), target)
        direction = rows.T @ dual
    else:
        direction = np.linalg.solve(rows.T @ rows + penalty * np.eye(rows.shape[1]), rows.T @ target)
    return np.asarray((held - mean) @ direction)


def _fold(
    new: NDArray[np.float64], old: NDArray[np.float64], new_places: NDArray[np.int64], old_places: NDArray[np.int64]
) -> _Fold:
    """Lay the scores of both sides against each other; differences of rounding are ties."""
    import numpy as np  # noqa: PLC0415

    slack = 1e-9 * max(float(np.abs(new).max()), float(np.abs(old).max()))
    order = np.argsort(old, kind="stable")
    ordered = old[order]
    below = np.searchsorted(ordered, new - slack, side="left")
    upto = np.searchsorted(ordered, new + slack, side="right")
    return _Fold(new_places, old_places[order], below, upto)
