"""Ranked passages against what is relevant, at one level, laid out as columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ragtriage.core.declare import Level
from ragtriage.core.rankings import Rankings
from ragtriage.core.score import Undefined
from ragtriage.core.views import ScoredView
from ragtriage.data.relevance import MIN_GRADE, Gold, Passage, chunk_grade, document_grades, found_at

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EMPTY", "Row", "ap_of", "chunk_grades", "columns", "row_of", "scored_view", "why_none"]

_UNJUDGED = -2
_PAST_THE_END = -1
R = TypeVar("R", bound=Rankings)


@dataclass(frozen=True, slots=True)
class Row:
    """One ranking of one case: what `Rankings` says of one question."""

    ids: tuple[str, ...] = ()
    grades: tuple[int, ...] = ()
    scores: tuple[float | None, ...] = ()
    units: tuple[int, ...] = ()
    ideal: tuple[int, ...] = ()
    relevant: int = 0
    judged_nonrelevant: int = 0


EMPTY = Row()


def scored_view(found: Rankings, index: int) -> ScoredView:
    """Return one row as which results are relevant, and their scores where the system gave each a number."""
    depth = len(found.ids[index]) if found.ids is not None else 0
    scores = () if found.scores is None else tuple(found.scores[index, :depth].tolist())
    known = len(scores) == depth and not any(map(math.isnan, scores))
    return ScoredView(
        relevant=tuple((found.grades[index, :depth] >= found.min_grade).tolist()),
        scores=scores if known else None,
    )


def chunk_grades(gold: Gold, chunks: Sequence[tuple[str, Passage]], *, min_overlap: float) -> dict[str, int]:
    """Return the grade of each of these chunks that covers a judged span, by chunk id."""
    graded = ((name, chunk_grade(gold, passage, min_overlap=min_overlap)) for name, passage in chunks)
    return {name: grade for name, grade in graded if grade is not None}


def why_none(
    level: Level, gold: Gold, passages: Sequence[Passage], *, listed: frozenset[str] | Mapping[str, object] | None
) -> Undefined | None:
    """Say why a ranking means nothing at a level; None where it does. `listed`: ids of the system's chunks."""
    if level != "document" and gold.needed and not gold.has_spans:
        return Undefined("the evidence names whole documents, no spans")
    if level == "chunk" and listed is None:
        return Undefined("the system does not list its chunks")
    if level == "chunk" and listed is not None:
        strange = [p for p in passages if p.id not in listed]
        if strange and (len(strange) == len(passages) or any(p.doc_id in gold.documents for p in strange)):
            return Undefined(f"result {strange[0].id!r} is no chunk that the system lists")
    if passages and all(p.doc_id is None for p in passages):
        return Undefined("no result can be traced to a document")
    if level == "evidence":
        lost = next((p for p in passages if p.doc_id in gold.documents and not p.placed), None)
        if lost is not None:
            return Undefined(f"result {lost.id!r} does not say where in its document it stands")
    return None


def row_of(
    level: Level,
    gold: Gold,
    passages: Sequence[Passage],
    scores: Sequence[float | None],
    *,
    min_overlap: float,
    grades: Mapping[str, int] | None = None,
) -> Row:
    """Lay one ranking against the evidence of its case; `grades` are those of its chunks, at the level of chunks."""
    if level == "evidence":
        return _evidence_row(gold, passages, scores, min_overlap=min_overlap)
    if level == "document":
        judged: Mapping[str, int] = document_grades(gold)
        first: dict[str, float | None] = {}
        for passage, score in zip(passages, scores, strict=True):
            first.setdefault(passage.id if passage.doc_id is None else passage.doc_id, score)
        ids, kept = tuple(first), tuple(first.values())
    else:
        judged, ids, kept = grades or {}, tuple(p.id for p in passages), tuple(scores)
    return Row(
        ids=ids,
        grades=tuple(judged.get(i, _UNJUDGED) for i in ids),
        scores=kept,
        ideal=tuple(sorted(judged.values(), reverse=True)),
        relevant=sum(grade >= MIN_GRADE for grade in judged.values()),
        judged_nonrelevant=sum(grade < MIN_GRADE for grade in judged.values()),
    )


def _evidence_row(
    gold: Gold, passages: Sequence[Passage], scores: Sequence[float | None], *, min_overlap: float
) -> Row:
    """Count groups: a result's grade is the highest of those that it completes.

    A result that covers judged evidence and completes nothing (found before, or not relevant) has grade 0.
    """
    group_grade = {group.name: group.grade for group in gold.needed}
    units = [0] * len(passages)
    grades = [_UNJUDGED if chunk_grade(gold, passage, min_overlap=min_overlap) is None else 0 for passage in passages]
    for name, index in found_at(gold, passages, min_overlap=min_overlap).items():
        units[index] += 1
        grades[index] = max(grades[index], group_grade[name])
    relevant_only = {span for group in gold.needed for span in group.eligible}
    return Row(
        ids=tuple(passage.id for passage in passages),
        grades=tuple(grades),
        scores=tuple(scores),
        units=tuple(units),
        ideal=tuple(sorted(group_grade.values(), reverse=True)),
        relevant=len(group_grade),
        judged_nonrelevant=len(set(gold.junk) - relevant_only),
    )


def columns(rows: Sequence[Row], *, level: Level, kind: type[R]) -> R:
    """Lay rows side by side; shorter ones are filled past their end."""
    import numpy as np  # noqa: PLC0415 - numpy is loaded where numbers are

    depth = max([1, *(len(row.ids) for row in rows)])
    width = max([1, *(len(row.ideal) for row in rows)])
    grades = _filled([row.grades for row in rows], depth, _PAST_THE_END)
    scored = any(score is not None for row in rows for score in row.scores)
    scores = None
    if scored:
        scores = np.full((len(rows), depth), np.nan)
        for target, row in zip(scores, rows, strict=True):
            target[: len(row.scores)] = [np.nan if score is None else score for score in row.scores]
    return kind(
        grades=grades,
        ideal=_filled([row.ideal for row in rows], width, 0),
        relevant=np.array([row.relevant for row in rows], dtype=np.int64),
        judged_nonrelevant=np.array([row.judged_nonrelevant for row in rows], dtype=np.int64),
        listed=np.array([bool(row.ids) for row in rows], dtype=bool),
        min_grade=MIN_GRADE,
        units=_filled([row.units for row in rows], depth, 0) if level == "evidence" else None,
        scores=scores,
        ids=tuple(row.ids for row in rows),
    )


def ap_of(row: Row) -> float | None:
    """Return the average precision of a row, by which the strongest lane is chosen; None with nothing relevant."""
    if row.relevant == 0:
        return None
    hits = row.units or tuple(int(grade >= MIN_GRADE) for grade in row.grades)
    found, total = 0, 0.0
    for rank, new in enumerate(hits, start=1):
        found += new
        total += new * min(1.0, found / rank)
    return total / row.relevant


def _filled(rows: Sequence[Sequence[int]], width: int, filler: int) -> NDArray[np.int64]:
    import numpy as np  # noqa: PLC0415

    filled = np.full((len(rows), width), filler, dtype=np.int64)
    for target, row in zip(filled, rows, strict=True):
        target[: len(row)] = row
    return filled
