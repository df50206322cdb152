"""A grade by criteria of the team's own."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import JudgedAnswerView


@metric(
    title="Rubric score",
    unit="share of the scale",
    bounds=(0, 1),
    better="higher",
    source="G-Eval (Liu et al. 2023)",
    proxy=True,
    asks=("rubric_grade",),
)
def rubric_score(view: JudgedAnswerView, *, weighted: bool = True) -> Score:
    """Grade that the judge gave, on a scale from 0 to 1, recomputed from the fields of its reply.

    `weighted`: by the probabilities of the grades, where the endpoint gives them. Undefined when no model judged, no
    criteria are set, or there is no answer.

    >>> from ragtriage.core.verdicts import RubricGrade
    >>> rubric_score(JudgedAnswerView(rubric_grade=RubricGrade(grade=4, low=1, high=5, expected=3.0)))
    Value(value=0.5, support=1)
    """
    given = view.rubric_grade
    if given is None:
        return Undefined("no model judged by criteria, or there is no answer")
    grade = given.expected if weighted and given.expected is not None else float(given.grade)
    share = (grade - given.low) / (given.high - given.low)
    return Value(min(1.0, max(0.0, share)), support=1)
