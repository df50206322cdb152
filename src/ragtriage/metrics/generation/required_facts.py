"""Whether the answer states what it must."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation._wording import NO_ANSWER
from ragtriage.text.phrases import occurrences


@metric(
    title="Required facts",
    unit="fraction of required facts",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG (guide): mandatory facts",
)
def required_facts(view: AnswerView) -> Score:
    """Share of the required facts that the answer states in any one of their wordings.

    A wording is stated where its words stand in a row, whole, after folding case and digits; numbers and dates count as
    values, so `1 %` is `1%` and `5 000 ₸` is `₸5,000` in a language that writes it so. Undefined when no answer was
    recorded and when the case declares no required fact.

    >>> from ragtriage.core.records import Expected, RequiredFact
    >>> facts = (RequiredFact(any_of=("1 %",)), RequiredFact(any_of=("7 000 ₸", "7000 тенге")))
    >>> required_facts(AnswerView("?", "Комиссия 1%, минимум 17 000 ₸", "answer", answerable=True, language="ru",
    ...     expected=Expected(required_facts=facts)))
    Value(value=0.5, support=2)
    """
    facts = view.expected.required_facts
    if not facts:
        return Undefined("the case declares no required fact")
    if view.text is None:
        return Undefined(NO_ANSWER)
    text, language = view.text, view.language
    stated = sum(any(occurrences(text, wording, language=language) for wording in fact.any_of) for fact in facts)
    return Value(stated / len(facts), support=len(facts))
