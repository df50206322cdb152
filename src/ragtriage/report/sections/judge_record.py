"""What a judge said of a case beside its claims, in words: parts, relevance, questions, grades, what it failed at."""

from __future__ import annotations

from ragtriage.core.verdicts import EscalationVerdict, QuestionsVerdict, RubricGrade, Verdicts
from ragtriage.report.wording import number

__all__ = ["judge_facts"]

_PARTS = {"answered": "answered", "partly": "answered in part", "not_answered": "not answered"}


def judge_facts(judge: Verdicts) -> tuple[tuple[str, str], ...]:
    """Return what was judged, as (what, verdict); nothing where the judge was not asked."""
    found = [("failed", f"{one.ask}: {one.kind}: {one.message}") for one in judge.failed]
    if judge.behaviour is not None:
        found.append(("behaviour of the answer", judge.behaviour.behaviour))
    found += [("part of the question", f"{part.text}: {_PARTS[part.label]}") for part in judge.parts or ()]
    found += [("relevance, 0 to 3", f"{one.id}: {one.grade}") for one in judge.relevance or ()]
    if judge.questions is not None:
        found += _questions(judge.questions)
    if judge.similarity is not None:
        near = judge.similarity
        found.append(("similarity to the reference", f"{number(near.cosine)} by {near.embedder}"))
    if judge.rubric_grade is not None:
        found.append(("grade by the rubric", _grade(judge.rubric_grade)))
    if judge.correctness is not None:
        found.append(("agrees with the reference", judge.correctness.label.replace("_", " ")))
    if judge.resolution is not None:
        found.append(("the request", judge.resolution.label.replace("_", " ")))
    if judge.escalation is not None:
        found.append(("handed over to a person", _escalation(judge.escalation)))
    if judge.served:
        found.append(("served by", ", ".join(judge.served)))
    return tuple(found)


def _questions(judged: QuestionsVerdict) -> list[tuple[str, str]]:
    if judged.noncommittal:
        return [("the answer", "commits itself to nothing")]
    near = judged.similarities or (None,) * len(judged.questions)
    pairs = zip(judged.questions, near, strict=False)
    return [("it answers", text if cosine is None else f"{text} ({number(cosine)})") for text, cosine in pairs]


def _escalation(judged: EscalationVerdict) -> str:
    return f"{'yes' if judged.handed_over else 'no'}, {judged.label}"


def _grade(grade: RubricGrade) -> str:
    told = f"{grade.grade} on a scale from {grade.low} to {grade.high}"
    return told if grade.expected is None else f"{told}, weighted {number(grade.expected)}"
