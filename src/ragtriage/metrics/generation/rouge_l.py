"""How far the answer keeps the words of the reference in their order."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation._wording import NO_ANSWER, NO_REFERENCE, references
from ragtriage.text.similarity import longest_common_subsequence
from ragtriage.text.tokens import words


@metric(
    title="ROUGE-L",
    unit="F1 over the longest common subsequence of words",
    bounds=(0, 1),
    better="higher",
    source="Lin 2004",
)
def rouge_l(view: AnswerView) -> Score:
    """F1 of the longest common subsequence of words with the reference, the best over the alternatives.

    Words of any script; on ASCII text the same words as the rouge_score package. Undefined when no answer was recorded
    and when the case declares no reference with a word in it.

    >>> from ragtriage.core.records import Expected
    >>> view = AnswerView("?", "退款在十天内", "answer", answerable=True, expected=Expected(answer="退款在十四天内"))
    >>> round(rouge_l(view).value, 3)
    0.923
    """
    if view.text is None:
        return Undefined(NO_ANSWER)
    wanted = [words(text, language=view.language) for text in references(view.expected)]
    wanted = [tokens for tokens in wanted if tokens]
    if not wanted:
        return Undefined(NO_REFERENCE)
    made = words(view.text, language=view.language)
    best = max(2 * longest_common_subsequence(made, tokens) / (len(made) + len(tokens)) for tokens in wanted)
    return Value(best, support=1)
