"""Rankings as columns: one line of a metric serves one question and a hundred million rows.

`core.views` names these types with the views of single cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Candidates", "FusionPair", "RankingPair", "Rankings", "RerankPair", "RunPair"]

_PAST_END, _UNJUDGED = -1, -2


@dataclass(frozen=True, eq=False)
class Rankings:
    """A batch of rankings at one level of relevance.

    `grades` int [questions, depth]: grade of each result, duplicates already removed; -1 past the end of a list,
    -2 unjudged, 0 judged not relevant. `ideal` int [questions, width]: all judged grades of the question, highest
    first, padded with 0. `relevant` int [questions]: how many items are relevant in all (grade >= `min_grade`).
    `judged_nonrelevant` int [questions]: judged items below `min_grade`. `listed` bool [questions]: whether a ranking
    came at all (False: the question was asked and nothing came, it scores 0 and is counted as missing).
    `units` int [questions, depth] or None: how many relevant units are newly found at each rank; at the evidence level
    a result can complete several groups, elsewhere it is derived from the grades. `scores` float [questions, depth],
    NaN where there is none; `ids` one tuple of item ids per question.
    """

    grades: NDArray[np.int64]
    ideal: NDArray[np.int64]
    relevant: NDArray[np.int64]
    judged_nonrelevant: NDArray[np.int64]
    listed: NDArray[np.bool_]
    min_grade: int = 1
    units: NDArray[np.int64] | None = None
    scores: NDArray[np.float64] | None = None
    ids: tuple[tuple[str, ...], ...] | None = None

    @classmethod
    def of(
        cls,
        ranked: Sequence[Sequence[str] | None],
        grades: Sequence[Mapping[str, int]],
        *,
        min_grade: int = 1,
        scores: Sequence[Sequence[float]] | None = None,
    ) -> Self:
        """Lay out lists of ids against the judged grades of each question; raises ValueError where lengths differ.

        Of a repeated id the first counts. None for a list: nothing came. A grade below 0 counts as 0. `scores`: one
        for each id of each list.

        >>> Rankings.of([["a", "x", "a"]], [{"a": 2, "b": 1}]).grades.tolist()
        [[2, -2]]
        """
        import numpy as np  # noqa: PLC0415 - `core` is imported by everything, numpy only where numbers are

        gold = [{i: max(0, g) for i, g in judged.items()} for judged in grades]
        ids = tuple(tuple(dict.fromkeys(row or ())) for row in ranked)
        if len(gold) != len(ids):
            raise ValueError(f"{len(ids)} lists and {len(gold)} questions with grades do not belong together")
        ideal = [sorted(judged.values(), reverse=True) for judged in gold]
        shown = [[judged.get(i, _UNJUDGED) for i in row] for row, judged in zip(ids, gold, strict=True)]
        kept = None
        if scores is not None:
            both = zip(ranked, scores, strict=True)
            first = [dict(zip(reversed(row or ()), reversed(given), strict=True)) for row, given in both]
            kept = _matrix([[s[i] for i in row] for row, s in zip(ids, first, strict=True)], np.nan)
        return cls(
            grades=_matrix(shown, _PAST_END).astype(np.int64),
            ideal=_matrix(ideal, 0).astype(np.int64),
            relevant=np.array([sum(g >= min_grade for g in row) for row in ideal], dtype=np.int64),
            judged_nonrelevant=np.array([sum(g < min_grade for g in row) for row in ideal], dtype=np.int64),
            listed=np.array([bool(row) for row in ids], dtype=bool),
            min_grade=min_grade,
            scores=kept,
            ids=ids,
        )

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.grades)

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Bool [questions, depth]: where a relevant item (or a newly completed unit) stands."""
        return self.grades >= self.min_grade if self.units is None else self.units > 0

    @property
    def found(self) -> NDArray[np.int64]:
        """Int [questions, depth]: how many relevant units are newly found at each rank."""
        return self.hits.astype("int64") if self.units is None else self.units

    @property
    def retrieved(self) -> NDArray[np.int64]:
        """Int [questions]: how many results came."""
        count: NDArray[np.int64] = (self.grades != _PAST_END).sum(axis=1)
        return count

    def condensed(self) -> Self:
        """Return the lists without their unjudged results, as if those had not come (Sakai 2007).

        >>> Rankings.of([["x", "a", "y", "b"]], [{"a": 2, "b": 0}]).condensed().grades.tolist()
        [[2, 0, -1, -1]]
        """
        import numpy as np  # noqa: PLC0415

        kept = self.grades != _UNJUDGED
        order = np.argsort(~kept, axis=1, kind="stable")

        def moved(columns: NDArray[Any], filler: float) -> NDArray[Any]:
            return np.take_along_axis(np.where(kept, columns, filler), order, axis=1)

        rows = None if self.ids is None else zip(self.ids, kept, strict=True)
        return replace(
            self,
            grades=moved(self.grades, _PAST_END),
            units=None if self.units is None else moved(self.units, 0),
            scores=None if self.scores is None else moved(self.scores, np.nan),
            ids=None if rows is None else tuple(tuple(i for i, k in zip(*row, strict=False) if k) for row in rows),
        )

    def take(self, rows: ArrayLike) -> Self:
        """Return the chosen questions, in the order of `rows`, repeats allowed."""
        import numpy as np  # noqa: PLC0415

        index = np.asarray(rows, dtype=np.int64)
        return type(self)(
            grades=self.grades[index],
            ideal=self.ideal[index],
            relevant=self.relevant[index],
            judged_nonrelevant=self.judged_nonrelevant[index],
            listed=self.listed[index],
            min_grade=self.min_grade,
            units=None if self.units is None else self.units[index],
            scores=None if self.scores is None else self.scores[index],
            ids=None if self.ids is None else tuple(self.ids[i] for i in index),
        )


class Candidates(Rankings):
    """The pool before reranking or fusing, in the order in which it was handed on: what no later step can add to.

    Built from the union of the lanes, or the list before the last (`RunViews.candidates(level)`).
    """


def _matrix(rows: Sequence[Sequence[float]], filler: float) -> NDArray[np.float64]:
    """Fill rows to the same length, at least 1; no rows make a matrix of shape [0, 1]."""
    import numpy as np  # noqa: PLC0415

    filled = np.full((len(rows), max([1, *map(len, rows)])), filler, dtype=np.float64)
    for target, row in zip(filled, rows, strict=True):
        target[: len(row)] = row
    return filled


@dataclass(frozen=True, eq=False)
class RankingPair:
    """Two rankings of the same questions: before and after a step, or of two runs."""

    before: Rankings
    after: Rankings

    def __post_init__(self) -> None:
        if len(self.before) != len(self.after):
            raise ValueError(f"{len(self.before)} questions before and {len(self.after)} after are no pair")

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.before)

    def take(self, rows: ArrayLike) -> Self:
        """Return the chosen questions."""
        return type(self)(self.before.take(rows), self.after.take(rows))


class FusionPair(RankingPair):
    """The strongest single list and the fused one.

    The single list is followed by the rest of the pool, so that both hold the same candidates.
    """


class RerankPair(RankingPair):
    """The ranking that the reranker was given and the one that it returned, on the same candidates.

    Candidates that a reranker cut off follow in the order in which it was given them, so that both hold the same.
    """


class RunPair(RankingPair):
    """The final rankings of two runs over the same questions."""
