"""Whether the answer claims what it must not."""

from __future__ import annotations

import math

import regex

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation._wording import NO_ANSWER
from ragtriage.text.negation import negations
from ragtriage.text.phrases import occurrences
from ragtriage.text.sentences import Sentence, sentences
from ragtriage.text.tokens import count_words

_NEAR = 3
_BREAK = regex.compile(r"[,;:.—–]|(?<![\p{L}])(?:но|а|але|бірақ|but)(?![\p{L}])")
_WRONG = regex.compile(
    r"(?<![\p{L}])(?:is (?:false|wrong|untrue|incorrect|a myth|not true)|неверно|неправда|ошибочно|не соответствует"
    r"|неправильно|невірно|хибно|дұрыс емес|жалған)(?![\p{L}])",
    regex.IGNORECASE,
)


@metric(
    title="Forbidden claims",
    unit="forbidden claims made",
    bounds=(0, math.inf),
    better="lower",
    source="Measuring RAG (guide): forbidden claims",
    critical=True,
)
def forbidden_claims(view: AnswerView) -> Score:
    """How many of the forbidden claims the answer makes; a wording is found as `required_facts` finds one.

    An occurrence makes no claim when a negation stands in the three words before it, with no comma or conjunction
    between ("not 2 %", "не 2 %"), when its sentence says that it is wrong ("is false", "неверно"), and when its
    sentence is a question. A negation after it is not read: it still counts. Undefined when no answer was recorded and
    when the case declares no forbidden claim.

    >>> from ragtriage.core.records import Expected
    >>> view = AnswerView("?", "The fee is 1 %, not 2 %.", "answer", answerable=True,
    ...     expected=Expected(forbidden_claims=("1 %", "2 %", "3 %")))
    >>> forbidden_claims(view)
    Value(value=1.0, support=3)
    """
    claims = view.expected.forbidden_claims
    if not claims:
        return Undefined("the case declares no forbidden claim")
    if view.text is None:
        return Undefined(NO_ANSWER)
    found = sentences(view.text)
    made = sum(_makes(view.text, claim, found, view.language) for claim in claims)
    return Value(float(made), support=len(claims))


def _makes(text: str, claim: str, found: list[Sentence], language: str | None) -> bool:
    return any(not _denied(text, start, found) for start, _ in occurrences(text, claim, language=language))


def _denied(text: str, start: int, found: list[Sentence]) -> bool:
    sentence = next((s for s in found if s.start <= start < s.end), None)
    if sentence is None:
        return False
    if sentence.text.rstrip("\"'»” ").endswith(("?", "？", "؟")) or _WRONG.search(sentence.text):
        return True
    for _, end in negations(sentence.text):
        between = text[sentence.start + end : start]
        if sentence.start + end <= start and count_words(between) < _NEAR and not _BREAK.search(between):
            return True
    return False
