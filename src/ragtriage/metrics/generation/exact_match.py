"""The answer is the reference, word for word."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation._wording import NO_ANSWER, NO_REFERENCE, references, squad_tokens


@metric(
    title="Exact match",
    unit="fraction of answers",
    bounds=(0, 1),
    better="higher",
    source="SQuAD (Rajpurkar et al. 2016)",
)
def exact_match(view: AnswerView) -> Score:
    """1 if the answer equals the reference or one of its alternatives after SQuAD normalisation, else 0.

    Case, punctuation, white space and the digits' script do not count, nor do articles in English. Undefined when no
    answer was recorded, when the case declares no reference, and when nothing of the reference is left to compare.

    >>> from ragtriage.core.records import Expected
    >>> exact_match(AnswerView("?", "the 34 euros.", "answer", answerable=True, expected=Expected(answer="٣٤ Euros")))
    Value(value=1.0, support=1)
    """
    if view.text is None:
        return Undefined(NO_ANSWER)
    wanted = [squad_tokens(text, language=view.language) for text in references(view.expected)]
    wanted = [tokens for tokens in wanted if tokens]
    if not wanted:
        return Undefined(NO_REFERENCE)
    return Value(float(squad_tokens(view.text, language=view.language) in wanted), support=1)
