"""Whether the answer answers the question that was asked."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import JudgedAnswerView


@metric(
    title="Response relevancy",
    unit="mean cosine of generated questions with the real one",
    bounds=(-1, 1),
    better="higher",
    source="Ragas answer relevancy (Es et al. 2024), a noncommittal answer undefined instead of 0",
    proxy=True,
    asks=("questions", "similarity"),
)
def response_relevancy(view: JudgedAnswerView) -> Score:
    """Mean cosine of the questions that the answer answers with the question that was asked.

    Undefined when no model judged, the answer is empty or noncommittal, or there is no embedding model.

    >>> from ragtriage.core.verdicts import QuestionsVerdict
    >>> said = QuestionsVerdict(noncommittal=False, questions=("a?", "b?"), similarities=(0.75, 0.25), embedder="e")
    >>> response_relevancy(JudgedAnswerView(questions=said))
    Value(value=0.5, support=2)
    """
    if view.questions is None:
        return Undefined("no model judged, or there is no answer")
    if view.questions.noncommittal:
        return Undefined("the answer is noncommittal: it answers no question")
    if not view.questions.similarities:
        return Undefined("there is no embedding model to compare questions with")
    found = view.questions.similarities
    return Value(sum(found) / len(found), support=len(found))
