"""Rows of judgement and run files gathered into columns, block by block, whatever file they came from.

Every row is checked: a number that is none, a judgement that contradicts another one; all faults of a file are
reported at once with their lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.records import MAX_GRADE
from ragtriage.data.rankings import NO_RANK, Column, Judgements, RankedRun, Vocabulary

__all__ = ["JudgementRows", "RunRows"]

_MAX_FAULTS_SHOWN = 1000
Ids = Sequence[bytes]


class _Rows:
    """What both kinds of rows share: where they come from, and their faults."""

    def __init__(self, path: Path, documents: Vocabulary) -> None:
        self.path = path
        self.comments = 0
        self._documents = documents
        self._questions = Vocabulary()
        self._faults: list[Fault] = []
        self._blocks: list[tuple[NDArray[Any], ...]] = []

    def fault(self, line: int, message: str) -> None:
        """Note what is wrong in a line."""
        self._faults.append(Fault(str(self.path), line, message))

    def _columns(self, kinds: Sequence[type]) -> list[NDArray[Any]]:
        empty: tuple[NDArray[Any], ...] = tuple(np.empty(0, dtype=kind) for kind in kinds)
        pieces = [list(column) for column in zip(empty, *self._blocks, strict=True)]
        self._blocks.clear()  # so that a column's pieces are freed as soon as it is whole
        return [np.concatenate(pieces.pop(0)) for _ in kinds]

    def _stop(self) -> NoReturn:
        count = f"{len(self._faults)} fault{'s' if len(self._faults) > 1 else ''}"
        raise BadInput(f"{self.path} has {count}:", sorted(self._faults)[:_MAX_FAULTS_SHOWN])


class RunRows(_Rows):
    """Results of a run; `need_rank` makes a missing rank a fault."""

    def __init__(self, path: Path, documents: Vocabulary, *, need_rank: bool = False) -> None:
        super().__init__(path, documents)
        self._need_rank = need_rank

    def add(
        self, questions: Ids, documents: Ids, scores: Sequence[Any], ranks: Sequence[Any] | None, lines: Sequence[int]
    ) -> None:
        """Add a block of rows; numbers may be texts."""
        score = _numbers(scores, float, np.inf)
        bad = ~np.isfinite(score)
        for row in np.flatnonzero(bad).tolist():
            self.fault(lines[row], f"the score must be a finite number. Got {_shown(scores[row])} instead")
        rank = np.full(len(score), NO_RANK) if ranks is None else _numbers(ranks, int, NO_RANK)
        if self._need_rank:
            for row in np.flatnonzero(rank == NO_RANK).tolist():
                got = "none" if ranks is None else _shown(ranks[row])
                self.fault(lines[row], f"the rank must be a whole number. Got {got} instead")
        self._blocks.append((self._questions.numbers(questions), self._documents.numbers(documents), score, rank))

    def finish(self) -> RankedRun:
        """Return the run; raises BadInput with every fault."""
        if self._faults:
            self._stop()
        question, document, score, rank = self._columns((np.int64, np.int64, np.float64, np.int64))
        name, questions = self.path.name, self._questions
        columns = question, document, score, rank
        return RankedRun(name, questions, self._documents, *columns, comments=self.comments)


class JudgementRows(_Rows):
    """Judgements; `grade_map` maps grades as they are written in the file, all at once."""

    def __init__(self, path: Path, documents: Vocabulary, *, grade_map: Mapping[str, int] | None = None) -> None:
        super().__init__(path, documents)
        self._grade_map = {name.encode(): grade for name, grade in (grade_map or {}).items()}

    def add(self, questions: Ids, documents: Ids, grades: Sequence[Any], lines: Sequence[int]) -> None:
        """Add a block of rows; grades may be texts."""
        mapped = [self._grade_map.get(_text(g), g) for g in grades] if self._grade_map else grades
        grade = _numbers(mapped, int, NO_RANK)
        for row in np.flatnonzero((grade > MAX_GRADE) | (grade < -MAX_GRADE)).tolist():
            rule = f"a whole number of at most {MAX_GRADE}" if grade[row] != NO_RANK else "a whole number"
            self.fault(lines[row], f"the grade must be {rule}. Got {_shown(grades[row])} instead")
        place = np.asarray(lines, dtype=np.int64)
        self._blocks.append((self._questions.numbers(questions), self._documents.numbers(documents), grade, place))

    def finish(self) -> Judgements:
        """Return the judgements, equal ones once; raises BadInput with every fault, contradictions among them."""
        question, document, grade, line = self._columns((np.int64, np.int64, np.int64, np.int64))
        order = np.lexsort((line, document, question))
        again = np.zeros(len(order), dtype=bool)
        again[1:] = (np.diff(question[order]) == 0) & (np.diff(document[order]) == 0)
        self._find_contradictions(question[order], document[order], grade[order], line[order], again)
        if not len(order) and not self._faults:
            self.fault(0, "holds no judgement")
        if self._faults:
            self._stop()
        kept = np.ones(len(order), dtype=bool)
        kept[order[again]] = False
        columns = question[kept], document[kept], grade[kept]
        return Judgements(self._questions, self._documents, *columns, repeated=int(again.sum()), comments=self.comments)

    def _find_contradictions(
        self, question: Column, document: Column, grade: Column, line: Column, again: NDArray[np.bool_]
    ) -> None:
        rows = np.flatnonzero(again)
        contrary = rows[grade[rows] != grade[rows - 1]]
        if len(contrary):
            questions, documents = list(self._questions), list(self._documents)
            for row in contrary:
                what = f"{documents[document[row]].decode()!r} of question {questions[question[row]].decode()!r}"
                before = f"{grade[row - 1]} in line {line[row - 1]}"
                self.fault(int(line[row]), f"{what} has grade {grade[row]} here and {before}")


def _numbers(values: Sequence[Any], kind: Callable[[Any], float], broken: float) -> NDArray[Any]:
    """Turn texts or numbers into a column; `broken` stands where a value is no number of this kind."""
    dtype = np.int64 if kind is int else np.float64
    types = set(map(type, values))
    plain = b"_" not in b"".join(values) if types == {bytes} else types <= ({int} if kind is int else {int, float})
    try:
        if plain:
            return np.fromiter(map(kind, values), dtype=dtype, count=len(values))
    except (ValueError, OverflowError):
        pass
    return np.array([_number(value, kind, broken) for value in values], dtype=dtype)


def _number(value: Any, kind: Callable[[Any], float], broken: float) -> float:
    """Read one number as strictly as a table writes it: not `1_0`, a truth value, or 2.5 for a whole number."""
    if isinstance(value, bool) or b"_" in _text(value):
        return broken
    try:
        number = kind(value)
    except (ValueError, TypeError, OverflowError):
        return broken
    if kind is int and (abs(number) > -(NO_RANK + 1) or (not isinstance(value, bytes | str) and number != value)):
        return broken
    return number


def _text(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _shown(value: Any) -> str:
    text = repr(value.decode()) if isinstance(value, bytes) else repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."  # noqa: PLR2004 - one terminal line
