"""Whether the numbers and dates of the answer stand in the context."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation._sums import stated_results
from ragtriage.metrics.generation._wording import NO_ANSWER
from ragtriage.text.amounts import Amounts, date_among, number_among, read_amounts
from ragtriage.text.language import language_of
from ragtriage.text.markers import blank_markers
from ragtriage.text.numbers import Number

_LIST_MARK = regex.compile(r"(?m)^[ \t>]*\(?(\p{Nd}{1,3})[.)](?=\s)")


@metric(
    title="Number grounding",
    unit="fraction of numbers and dates",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG, lesson 7: numbers are checked by code",
)
def number_grounding(view: AnswerView) -> Score:
    """Share of the answer's numbers and dates that stand in the context or follow from it by a sum the answer states.

    Numbers are compared as values with units: digits of any script, separators as the language writes them, written
    magnitudes and number words. Not counted: list and citation marks, a bare "one", a number that the question brought,
    and a number that is ambiguous without a language and agrees in one reading only (neither right nor wrong).
    Undefined when no answer or no context was recorded and when no number is left to count.

    >>> from ragtriage.core.records import Expected
    >>> view = AnswerView("?", "4 + 2 = 6 days, ٥٠٠٠ in all", "answer", answerable=True, expected=Expected(),
    ...     context=("four days, then 2 more",))
    >>> number_grounding(view)
    Value(value=0.75, support=4)
    """
    if view.text is None:
        return Undefined(NO_ANSWER)
    if view.context is None:
        return Undefined("the trace records no context")
    text = _without_marks(view)
    made = read_amounts(text, view.language)
    sources = [read_amounts(item, language_of(item, view.language)) for item in view.context]
    asked = [read_amounts(view.question, view.language)]
    counted = _numbers(text, made, sources, asked)
    counted += [date_among(d, sources) for d in made.dates if date_among(d, sources) or not date_among(d, asked)]
    if not counted:
        return Undefined("the answer holds no number to check")
    return Value(sum(counted) / len(counted), support=len(counted))


def _without_marks(view: AnswerView) -> str:
    text = blank_markers(view.text or "", [c.id for c in view.citations or ()])
    for mark in _LIST_MARK.finditer(text):
        text = text[: mark.start(1)] + " " * len(mark[1]) + text[mark.end(1) :]
    return text


def _numbers(text: str, made: Amounts, sources: Sequence[Amounts], asked: Sequence[Amounts]) -> list[bool]:
    """Return for each number that counts whether it is grounded."""
    found = [number_among(number, sources) for number in made.numbers]

    def usable(number: Number) -> bool:
        return "equal" in {number_among(number, sources), number_among(number, asked)}

    computed = stated_results(text, made.numbers, usable)
    counted = []
    for i, number in enumerate(made.numbers):
        bare_one = number.in_words and number.unit is None and number.values[0] == 1
        given = found[i] != "equal" and number_among(number, asked) == "equal"
        if i in computed or found[i] == "equal":
            counted.append(True)
        elif not bare_one and not given and found[i] != "uncertain":
            counted.append(False)
    return counted
