"""Where a rising curve flattens: the knee point of Satopää et al. 2011 (Kneedle)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["knee_point"]

_FEWEST = 3


def knee_point(x: ArrayLike, y: ArrayLike, *, sensitivity: float = 1.0) -> int | None:
    """Return the index of the knee of a curve that rises and flattens; None where it has none.

    Both axes are scaled to [0, 1]; the knee is the first local maximum of y - x after which the difference falls by
    `sensitivity` mean steps of x before it rises again (once it rises, below 0). A curve that is flat, straight, bends
    the other way or has fewer than three points has no knee. Raises ValueError for columns of unequal length, x that
    does not rise, or numbers that are not finite.

    >>> knee_point([128, 256, 512, 1024], [0.60, 0.80, 0.85, 0.86])
    1
    >>> knee_point([1, 2, 3], [1, 2, 3]) is None
    True
    """
    import numpy as np  # noqa: PLC0415 - numpy is loaded where numbers are

    across, up = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if across.shape != up.shape or across.ndim != 1:
        raise ValueError(f"x {across.shape} and y {up.shape} must be columns of one length")
    if not (np.isfinite(across).all() and np.isfinite(up).all() and (np.diff(across) > 0).all()):
        raise ValueError("x must rise and all numbers must be finite")
    if len(across) < _FEWEST or np.ptp(up) == 0:
        return None
    difference = (up - up.min()) / np.ptp(up) - (across - across[0]) / np.ptp(across)
    drop = sensitivity / (len(across) - 1)
    for top in range(1, len(difference) - 1):
        if difference[top] <= 0 or not difference[top - 1] <= difference[top] >= difference[top + 1]:
            continue
        threshold = difference[top] - drop
        for at in range(top + 1, len(difference)):
            if difference[at] > difference[at - 1]:
                threshold = 0.0
            if difference[at] < threshold:
                return top
            if at + 1 < len(difference) and difference[at - 1] < difference[at] >= difference[at + 1]:
                break  # the next local maximum stands for itself
    return None
