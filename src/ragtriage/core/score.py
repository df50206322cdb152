"""What a metric returns: a value with its denominator, or a reason why there is none.

A metric of one case returns `Value` or `Undefined`. A metric over a batch of rankings returns `Scores`, the same
thing as columns. `Failed` is left by the engine where a case, a judge or a parser broke; metrics never return it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Failed", "Outcome", "Score", "Scores", "Undefined", "Value"]


@dataclass(frozen=True, slots=True)
class Value:
    """A measured number; `support` counts the items it was computed over (its denominator).

    Raises ValueError for a number that is not finite and for a support below 1.

    >>> Value(0.5, support=2)
    Value(value=0.5, support=2)
    """

    value: float
    support: int

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"value={self.value!r} must be finite; return Undefined(reason) instead")
        if self.support < 1:
            raise ValueError(f"support={self.support} must be >= 1; return Undefined(reason) instead")


@dataclass(frozen=True, slots=True)
class Undefined:
    """No number exists, e.g. recall with nothing relevant. Never averaged, always counted."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A case, judge or parser broke. Never averaged, never dropped: counted beside the mean."""

    stage: str
    error: str
    message: str


Score: TypeAlias = Value | Undefined
Outcome: TypeAlias = Value | Undefined | Failed


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of many questions as columns.

    `values` float [questions], `support` int [questions]; where `support` is 0 the score is undefined for the reason
    in `undefined` and the value is 0. Raises ValueError for a defined value that is not finite.

    >>> list(Scores.ratio([1, 0], [2, 0], undefined="nothing is relevant"))
    [Value(value=0.5, support=2), Undefined(reason='nothing is relevant')]
    """

    values: NDArray[np.float64]
    support: NDArray[np.int64]
    undefined: str

    def __post_init__(self) -> None:
        import numpy as np  # noqa: PLC0415 - `core` is imported by everything, numpy only where numbers are

        values, support = np.asarray(self.values, dtype=np.float64), np.asarray(self.support, dtype=np.int64)
        if values.shape != support.shape or values.ndim != 1:
            raise ValueError(f"values {values.shape} and support {support.shape} must be one column each")
        defined = support > 0
        if not np.isfinite(values[defined]).all():
            raise ValueError("a defined value must be finite; give it support 0 instead")
        object.__setattr__(self, "values", np.where(defined, values, 0.0))
        object.__setattr__(self, "support", np.maximum(support, 0))

    @classmethod
    def ratio(cls, numerator: ArrayLike, denominator: ArrayLike, *, undefined: str) -> Scores:
        """Divide element by element; a denominator of 0 is undefined, never 0 or NaN."""
        import numpy as np  # noqa: PLC0415

        top, bottom = np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.int64)
        values = np.divide(top, bottom, out=np.zeros(bottom.shape), where=bottom > 0)
        return cls(values, bottom, undefined)

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.values)

    def __getitem__(self, index: int) -> Score:
        """Return the score of one question."""
        support = int(self.support[index])
        return Value(float(self.values[index]), support) if support else Undefined(self.undefined)

    def __iter__(self) -> Iterator[Score]:
        """Yield the score of each question in order."""
        return (self[i] for i in range(len(self)))
