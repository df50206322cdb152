"""Judgements and runs as columns, and how a run is laid out against the judgements: ordered, each document once.

Ids are numbered once, in one vocabulary for all files of a comparison; from there on everything is arithmetic on whole
columns, so that millions of rows take seconds.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragtriage.core.rankings import Rankings

__all__ = [
    "NO_RANK",
    "AlignedRun",
    "Judgements",
    "Order",
    "RankedRun",
    "Vocabulary",
    "align",
    "judgements_of",
    "run_of",
]

Order = Literal["score", "rank"]
Column = NDArray[np.int64]
NO_RANK = int(np.iinfo(np.int64).min)
_MAX_CELLS = 4_000_000  # of one batch: some 100 MB while a metric works on it


class Vocabulary(defaultdict[bytes, int]):
    """Numbers ids (as UTF-8) from 0 in the order in which they are first looked up."""

    def __init__(self) -> None:
        super().__init__(itertools.count().__next__)

    def numbers(self, names: Iterable[bytes]) -> Column:
        """Return the numbers of a column of ids."""
        return np.fromiter(map(self.__getitem__, names), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Graded documents of questions: `question` and `document` are numbers in the vocabularies, one row a judgement.

    Each (question, document) stands once. `repeated`: equal judgements that were left out for that; `comments`: lines
    that began with `#`.
    """

    questions: Vocabulary
    documents: Vocabulary
    question: Column
    document: Column
    grade: Column
    repeated: int = 0
    comments: int = 0

    def without_negative(self) -> Judgements:
        """Leave out grades below 0, as trec_eval does: such a document counts as unjudged."""
        kept = self.grade >= 0
        return replace(self, question=self.question[kept], document=self.document[kept], grade=self.grade[kept])


@dataclass(frozen=True, slots=True, eq=False)
class RankedRun:
    """Results of one system, one row a result in the order of the file; `rank` is NO_RANK where the file has none.

    `questions` and `documents` name the numbers; the documents are those of the judgements it is compared with.
    `comments`: lines that began with `#`.
    """

    name: str
    questions: Vocabulary
    documents: Vocabulary
    question: Column
    document: Column
    score: NDArray[np.float64]
    rank: Column | None = None
    comments: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class AlignedRun:
    """A run laid out against the judgements: one row a result, by question and rank, each document once.

    The results of question i are the rows from `starts[i]` to `starts[i + 1]`; `grade` is -2 where they are unjudged.
    `ideal` holds the judged grades by question, the highest first, from `ideal_starts[i]` to `ideal_starts[i + 1]`.
    Grades below 0 are 0. `duplicates`: results left out because their document stood higher already; `unknown`:
    questions of the run that have no judgement; `disagreeing`: questions whose rank column and scores order the results
    differently.
    """

    name: str
    questions: tuple[str, ...]
    documents: Vocabulary
    starts: Column
    document: Column
    grade: Column
    score: NDArray[np.float64]
    ideal_starts: Column
    ideal: Column
    duplicates: int
    unknown: tuple[str, ...]
    disagreeing: int

    def batches(self, *, min_grade: int = 1, max_cells: int = _MAX_CELLS) -> Iterator[tuple[Column, Rankings]]:
        """Yield (numbers of questions, their rankings) until every question came once.

        Lists of similar length come together, so that one long list does not widen all others.
        """
        size = np.maximum(np.maximum(np.diff(self.starts), np.diff(self.ideal_starts)), 1)
        order = np.argsort(size, kind="stable")
        first = 0
        while first < len(order):
            cells = size[order[first:]] * np.arange(1, len(order) - first + 1)
            last = first + max(1, int(np.searchsorted(cells, max_cells, side="right")))
            rows = np.sort(order[first:last])
            yield rows, self._rankings(rows, min_grade)
            first = last

    def rankings(self, *, min_grade: int = 1) -> Rankings:
        """Return all questions as one batch, with the ids of their results."""
        names = [name.decode() for name in self.documents]
        lists = np.split(self.document, self.starts[1:-1])
        ids = tuple(tuple(names[number] for number in numbers) for numbers in lists)
        return replace(self._rankings(np.arange(len(self.questions)), min_grade), ids=ids[: len(self.questions)])

    def _rankings(self, rows: Column, min_grade: int) -> Rankings:
        ideal = _matrix(self.ideal, self.ideal_starts, rows, 0)
        relevant = (ideal >= min_grade).sum(axis=1)
        return Rankings(
            grades=_matrix(self.grade, self.starts, rows, -1),
            ideal=ideal,
            relevant=relevant,
            judged_nonrelevant=np.diff(self.ideal_starts)[rows] - relevant,
            listed=np.diff(self.starts)[rows] > 0,
            min_grade=min_grade,
            scores=_matrix(self.score, self.starts, rows, np.nan),
        )


def align(judgements: Judgements, run: RankedRun, *, order: Order = "score") -> AlignedRun:
    """Lay a run out against judgements whose documents are numbered by the same vocabulary.

    `score`: the score decides and ties go by document id, descending, as in trec_eval. `rank`: the rank column decides
    and equal ranks keep the order of the file. Raises ValueError for `rank` where the run has no rank column.
    """
    if order == "rank" and (run.rank is None or (run.rank == NO_RANK).any()):
        raise ValueError(f"{run.name} has results without a rank, so the rank cannot decide")
    known = np.array([judgements.questions.get(name, -1) for name in run.questions], dtype=np.int64)
    question, document, score, rank = known[run.question], run.document, run.score, run.rank
    if (known < 0).any():
        kept = question >= 0
        question, document, score = question[kept], document[kept], score[kept]
        rank = None if rank is None else rank[kept]
    permutation = _by_rank(question, rank) if order == "rank" else _by_score(question, document, score, run.documents)
    if permutation is not None:
        question, document, score = question[permutation], document[permutation], score[permutation]
        rank = None if rank is None else rank[permutation]
    disagreeing = 0 if rank is None else _disagreeing(question, score, rank, order)
    del rank
    base, results = len(run.documents), len(question)
    keys = question * base + document
    first = _first_of_each(keys)
    if first is not None:
        question, document, score, keys = question[first], document[first], score[first], keys[first]
    by_grade = np.lexsort((-judgements.grade, judgements.question))
    count = len(judgements.questions)
    return AlignedRun(
        name=run.name,
        questions=tuple(name.decode() for name in judgements.questions),
        documents=run.documents,
        starts=_starts(question, count),
        document=document,
        grade=_grades(judgements, keys, document, base),
        score=score,
        ideal_starts=_starts(judgements.question[by_grade], count),
        ideal=np.maximum(judgements.grade[by_grade], 0),
        duplicates=0 if first is None else results - len(first),
        unknown=tuple(name.decode() for name, number in zip(run.questions, known, strict=True) if number < 0),
        disagreeing=disagreeing,
    )


def judgements_of(
    graded: Mapping[str, Mapping[str, int]], *, documents: Vocabulary, questions: Iterable[str] = ()
) -> Judgements:
    """Lay plain judgements by question and document out as columns; `questions` adds some that have none."""
    numbers = Vocabulary()
    for name in (*graded, *questions):
        numbers[name.encode()]
    rows = [
        (numbers[question.encode()], documents[document.encode()], grade)
        for question, row in graded.items()
        for document, grade in row.items()
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Judgements(numbers, documents, columns[0], columns[1], columns[2])


def run_of(
    ranked: Mapping[str, Sequence[str] | Mapping[str, float]], *, documents: Vocabulary, name: str = "run"
) -> RankedRun:
    """Lay lists of ids, best first, or scores by id out as a run; a list gives ranks and falling scores."""
    numbers = Vocabulary()
    rows: list[tuple[int, int, float, int]] = []
    for question, found in ranked.items():
        number = numbers[question.encode()]
        scored = found.items() if isinstance(found, Mapping) else [(item, -float(i)) for i, item in enumerate(found)]
        rows.extend((number, documents[item.encode()], score, place) for place, (item, score) in enumerate(scored, 1))
    questions, items, places = (np.array([row[i] for row in rows], dtype=np.int64) for i in (0, 1, 3))
    scores = np.array([row[2] for row in rows], dtype=np.float64)
    listed = all(not isinstance(found, Mapping) for found in ranked.values())
    return RankedRun(name, numbers, documents, questions, items, scores, places if listed else None)


def _by_score(question: Column, document: Column, score: NDArray[np.float64], documents: Vocabulary) -> Column | None:
    """Return the order by question, score descending, document id descending; None where rows stand so already.

    Where the rows of a question stand together, only the questions that are out of order are sorted.
    """
    falling = (question[1:] != question[:-1]) | (score[1:] < score[:-1])
    if not (question[1:] >= question[:-1]).all():
        return _sorted_by_score(question, document, score, documents)
    if falling.all():
        return None
    mixed = np.zeros(int(question[-1]) + 1, dtype=bool)
    mixed[question[1:][~falling]] = True
    rows = np.flatnonzero(mixed[question])
    order = np.arange(len(question))
    order[rows] = rows[_sorted_by_score(question[rows], document[rows], score[rows], documents)]
    return order


def _sorted_by_score(question: Column, document: Column, score: NDArray[np.float64], documents: Vocabulary) -> Column:
    by_score: Column = np.lexsort((-score, question))
    ordered_question, ordered_score = question[by_score], score[by_score]
    ties = (ordered_question[1:] == ordered_question[:-1]) & (ordered_score[1:] == ordered_score[:-1])
    if not ties.any():
        return by_score
    tied = np.zeros(len(question), dtype=bool)
    tied[:-1] |= ties
    tied[1:] |= ties
    numbers, inverse = np.unique(document[by_score][tied], return_inverse=True)
    names = list(documents)
    descending = sorted(range(len(numbers)), key=lambda i: names[numbers[i]], reverse=True)
    place = np.empty(len(numbers), dtype=np.int64)
    place[descending] = np.arange(len(numbers))
    tie_break = np.zeros(len(question), dtype=np.int64)
    tie_break[tied] = place[inverse]
    finer: Column = by_score[np.lexsort((tie_break, -ordered_score, ordered_question))]
    return finer


def _by_rank(question: Column, rank: Column | None) -> Column:
    order: Column = np.lexsort((np.zeros(len(question)) if rank is None else rank, question))
    return order


def _disagreeing(question: Column, score: NDArray[np.float64], rank: Column, order: Order) -> int:
    """Count the questions that the column which does not decide would order otherwise."""
    same = (question[1:] == question[:-1]) & (rank[1:] != NO_RANK) & (rank[:-1] != NO_RANK)
    otherwise = score[1:] > score[:-1] if order == "rank" else rank[1:] < rank[:-1]
    return len(np.unique(question[1:][same & otherwise]))


def _first_of_each(keys: Column) -> Column | None:
    """Return the places of the first of each key, in order; None where no key stands twice."""
    ordered = np.sort(keys)
    if not (ordered[1:] == ordered[:-1]).any():
        return None
    return np.sort(np.unique(keys, return_index=True)[1])


def _grades(judgements: Judgements, keys: Column, document: Column, base: int) -> Column:
    """Look the grade of each result up; -2 where it was not judged."""
    grade = np.full(len(keys), -2, dtype=np.int64)
    if not len(judgements.grade):
        return grade
    judged = judgements.question * base + judgements.document
    order = np.argsort(judged)
    judged = judged[order]
    candidates = np.flatnonzero(document <= judgements.document.max())
    place = np.minimum(np.searchsorted(judged, keys[candidates]), len(judged) - 1)
    matched = judged[place] == keys[candidates]
    grade[candidates[matched]] = np.maximum(judgements.grade[order][place[matched]], 0)
    return grade


def _starts(question: Column, count: int) -> Column:
    """Return where each question's rows begin, and where the last one's end; int [count + 1]."""
    return np.concatenate([[0], np.cumsum(np.bincount(question, minlength=count))]).astype(np.int64)


def _matrix(values: NDArray[Any], starts: Column, rows: Column, filler: float) -> NDArray[Any]:
    """Lay the values of the chosen questions out as [questions, longest], filled up at the end."""
    lengths = starts[rows + 1] - starts[rows]
    ends = np.cumsum(lengths)
    source = np.repeat(starts[rows] - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)
    filled = np.full((len(rows), max(1, int(lengths.max(initial=0)))), filler, dtype=values.dtype)
    filled[np.arange(filled.shape[1]) < lengths[:, None]] = values[source]
    return filled
