"""Records of a whole answer: questions that it answers, parts it answers, nearness to the reference, a grade."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtriage.core.records import Case
from ragtriage.core.verdicts import AnswerSimilarity, PartVerdict, QuestionsVerdict, RubricGrade
from ragtriage.judges.asking import Ask
from ragtriage.judges.calling import Asker, AskFailed, expected_grade
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.models.ports import CallFailed, Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["cosine", "grade_of", "parts_of", "questions_of", "similarity_of"]

_QUESTIONS = 3


def cosine(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """Return the cosine of two vectors; raises ValueError where one is zero, so that nothing is taken for 0."""
    import numpy as np  # noqa: PLC0415

    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    if size == 0.0:
        raise ValueError("a zero vector has no direction")
    return max(-1.0, min(1.0, float(a @ b) / size))


async def _cosines(text: str, others: Sequence[str], embedder: Embedder) -> tuple[float, ...]:
    try:
        first, *rest = await embedder.embed([text, *others])
        return tuple(round(cosine(first, one), 9) for one in rest)
    except CallFailed as error:
        raise AskFailed(error.kind, str(error)) from error
    except ValueError as error:
        raise AskFailed("bad_vector", str(error)) from error


async def questions_of(asker: Asker, question: str, answer: str, embedder: Embedder | None) -> QuestionsVerdict | None:
    """Return three questions that the answer answers, and how near they are to the real one."""
    if not answer.strip():
        return None
    (found,) = await asker.ask(Ask(RUBRICS["question_generation"], {"text": answer}))
    questions = tuple(q.strip() for q in found.values["questions"] if q.strip())[:_QUESTIONS]
    if found.values["noncommittal"]:
        return QuestionsVerdict(noncommittal=True)
    if len(questions) < _QUESTIONS:
        raise AskFailed("incomplete", f"{_QUESTIONS} questions were asked for. Got {len(questions)}")
    if embedder is None:
        return QuestionsVerdict(noncommittal=False, questions=questions)
    return QuestionsVerdict(
        noncommittal=False,
        questions=questions,
        similarities=await _cosines(question, questions, embedder),
        embedder=embedder.identity,
    )


async def parts_of(asker: Asker, question: str, answer: str) -> tuple[PartVerdict, ...]:
    """Return the parts of the question and how far each is answered."""
    readings = await asker.ask(Ask(RUBRICS["completeness"], {"question": question, "text": answer or " "}))
    for one in readings:
        if (one.values["label"] == "not_answered") == bool(one.places):
            raise AskFailed("inconsistent", "a part is answered without a quote, or not answered with one")
    return tuple(PartVerdict(text=one.values["part"], label=one.values["label"]) for one in readings)


async def similarity_of(answer: str, references: Sequence[str], embedder: Embedder | None) -> AnswerSimilarity | None:
    """Return the cosine of the answer with the nearest reference; None without a reference or a model."""
    if embedder is None or not references or not answer.strip():
        return None
    found = await _cosines(answer, references, embedder)
    return AnswerSimilarity(cosine=max(found), embedder=embedder.identity)


async def grade_of(asker: Asker, case: Case, answer: str, criteria: str | None) -> RubricGrade | None:
    """Return the grade of an answer by the team's own criteria; None where there are none."""
    if criteria is None or not answer.strip():
        return None
    rubric = RUBRICS["rubric_score"]
    inputs = {"question": case.question, "criteria": criteria, "text": answer}
    (found,), reply = await asker.ask_whole(Ask(rubric, inputs, logprobs=True))
    field = rubric.file.decisive
    low, high = (field.low, field.high) if field is not None else (1, 5)
    grade = found.values["grade"]
    return RubricGrade(grade=grade, low=low, high=high, expected=expected_grade(reply, grade=grade, low=low, high=high))
