"""How many words the answer shares with the reference."""

from __future__ import annotations

from collections import Counter

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation._wording import NO_ANSWER, NO_REFERENCE, references, squad_tokens


@metric(
    title="Token F1",
    unit="F1 over words",
    bounds=(0, 1),
    better="higher",
    source="SQuAD (Rajpurkar et al. 2016)",
)
def token_f1(view: AnswerView) -> Score:
    """F1 of the answer's words against the reference's, the best over the alternatives, after SQuAD normalisation.

    Undefined when no answer was recorded, when the case declares no reference, and when nothing of the reference is
    left to compare.

    >>> from ragtriage.core.records import Expected
    >>> view = AnswerView("?", "It costs 5 euros", "answer", answerable=True, expected=Expected(answer="5 euros"))
    >>> round(token_f1(view).value, 3)
    0.667
    """
    if view.text is None:
        return Undefined(NO_ANSWER)
    wanted = [squad_tokens(text, language=view.language) for text in references(view.expected)]
    wanted = [tokens for tokens in wanted if tokens]
    if not wanted:
        return Undefined(NO_REFERENCE)
    made = squad_tokens(view.text, language=view.language)
    return Value(max(_f1(made, tokens) for tokens in wanted), support=1)


def _f1(made: list[str], wanted: list[str]) -> float:
    shared = sum((Counter(made) & Counter(wanted)).values())
    return 2 * shared / (len(made) + len(wanted))
