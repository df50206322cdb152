"""Whether a classifier can tell two sets of vectors apart: a linear one, cross-validated, by its area under the curve.

It sees what changes in single coordinates and in their weighted sums: a shifted mean, another axis. A change that
leaves every mean where it was escapes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtriage.core.identity import hash_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FOLDS", "domain_auc", "fold_of"]

FOLDS = 5


def domain_auc(
    reference: NDArray[np.floating],
    current: NDArray[np.floating],
    *,
    groups: tuple[Sequence[str], Sequence[str]],
    ridge: float = 1.0,
) -> float:
    """Return the chance that a held-out row of `current` scores above one of `reference`; ties count half.

    Both float [rows, dimensions]; the numbers of rows may differ. `groups`: a name for each row of each side; rows of
    one name stand in one fold. Rows are taken at length 1 (zeros stay) and centred on the mean of those that the
    classifier is fitted on; it is ridge regression on the side, both sides weighing the same, with `ridge` as the
    penalty on coefficients for coordinates of unit variance in all. The areas of the folds are weighed by their pairs.
    Folds follow the order of hashed names, so the result depends on no order of rows and on no seed.
    Raises ValueError for fewer than 5 groups, rows of different length, or where no fold holds both sides.

    >>> import numpy as np
    >>> rows, names = np.eye(6), list("abcdef")
    >>> domain_auc(rows, rows, groups=(names, names))
    0.5
    """
    import numpy as np  # noqa: PLC0415

    if reference.shape[1:] != current.shape[1:]:
        raise ValueError(f"rows of {reference.shape[1:]} and {current.shape[1:]} numbers cannot be told apart fairly")
    folds = fold_of([*groups[0], *groups[1]])
    rows = _unit(np.concatenate([reference, current]).astype(np.float64))
    side = np.repeat([-1.0, 1.0], [len(reference), len(current)])
    order = np.lexsort((side, *rows.T[::-1]))  # sums in one order, whatever the order of rows
    folds, rows, side = folds[order], rows[order], side[order]
    above = pairs = 0.0
    for fold in range(FOLDS):
        held = folds == fold
        new, old = held & (side > 0), held & (side < 0)
        if not new.any() or not old.any() or len(set(side[~held])) == 1:
            continue
        scores = _scores(rows[~held], side[~held], rows[held], ridge)
        above += _above(scores[side[held] > 0], scores[side[held] < 0])
        pairs += float(new.sum()) * float(old.sum())
    if not pairs:
        raise ValueError("no fold holds rows of both sides")
    return above / pairs


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


def _above(new: NDArray[np.float64], old: NDArray[np.float64]) -> float:
    """Count the pairs in which the new row scores above the old one, ties as half; differences of rounding are ties."""
    import numpy as np  # noqa: PLC0415

    slack = 1e-9 * max(float(np.abs(new).max()), float(np.abs(old).max()))
    ordered = np.sort(old)
    below = np.searchsorted(ordered, new - slack, side="left")
    upto = np.searchsorted(ordered, new + slack, side="right")
    return float(below.sum()) + 0.5 * float((upto - below).sum())
