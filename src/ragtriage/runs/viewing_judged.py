"""Views of what a judge says of whole answers, of repeats, confidences and lengths."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.records import Case, Trace
from ragtriage.core.score import Value
from ragtriage.core.verdicts import Verdicts
from ragtriage.core.views import AnswerView, ClaimsView, ConfidenceView, JudgedAnswerView, LengthView, RepeatsView
from ragtriage.metrics.generation.correctness import correctness
from ragtriage.metrics.generation.exact_match import exact_match
from ragtriage.metrics.generation.required_facts import required_facts
from ragtriage.text.tokens import count_words

__all__ = ["confidence_view", "judged_answer_view", "length_view", "repeats_view"]


def judged_answer_view(case: Case, verdicts: Verdicts | None) -> JudgedAnswerView:
    """Return what a model said of the answer as a whole."""
    if verdicts is None:
        return JudgedAnswerView(uncertain=case.expected.uncertainty is not None)
    return JudgedAnswerView(
        questions=verdicts.questions,
        parts=verdicts.parts,
        similarity=verdicts.similarity,
        rubric_grade=verdicts.rubric_grade,
        correctness=verdicts.correctness,
        resolution=verdicts.resolution,
        escalation=verdicts.escalation,
        uncertainty=verdicts.uncertainty,
        uncertain=case.expected.uncertainty is not None,
        has_reference=case.expected.answer is not None,
    )


def confidence_view(trace: Trace, answer: AnswerView, claims: ClaimsView, *, least: float) -> ConfidenceView:
    """Return how sure the system was and whether it was right.

    Right: all required facts stated, else equal to a reference, else a claim correctness of `least`.
    """
    facts, equal, agreed = required_facts(answer), exact_match(answer), correctness(claims)
    correct: bool | None = None
    if isinstance(facts, Value):
        correct = facts.value == 1.0
    elif isinstance(equal, Value) and equal.value == 1.0:
        correct = True
    elif isinstance(agreed, Value):
        correct = agreed.value >= least
    return ConfidenceView(None if trace.answer is None else trace.answer.confidence, correct)


def length_view(case: Case, trace: Trace, claims: ClaimsView) -> LengthView:
    """Return the correctness of an answer beside its length and that of its reference."""
    agreed = correctness(claims)
    reference = case.expected.answer
    return LengthView(
        correctness=agreed.value if isinstance(agreed, Value) else None,
        words=None if trace.answer is None else count_words(trace.answer.text),
        reference_words=None if reference is None else count_words(reference),
    )


def repeats_view(trace: Trace, others: Sequence[str]) -> RepeatsView:
    """Return the answers of a question asked several times: that of the run, then those of later repeats."""
    first = () if trace.answer is None else (trace.answer.text,)
    return RepeatsView((*first, *others))
