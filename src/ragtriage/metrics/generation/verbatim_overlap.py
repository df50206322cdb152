"""How much of the answer is one piece copied from the context."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation._wording import NO_ANSWER
from ragtriage.text.markers import blank_markers
from ragtriage.text.similarity import longest_run
from ragtriage.text.tokens import words


@metric(
    title="Verbatim overlap",
    unit="fraction of the answer's words",
    bounds=(0, 1),
    better="neither",
    source="Evaluating RAG: extraction against paraphrase",
)
def verbatim_overlap(view: AnswerView) -> Score:
    """Longest run of words that stands in one context item / words of the answer; 1 is pure extraction.

    Undefined when no answer was recorded or it holds no word, and when the trace records no context.

    >>> from ragtriage.core.records import Expected
    >>> view = AnswerView("?", "It is free of charge", "answer", answerable=True, expected=Expected(),
    ...     context=("Everything is free of tax",))
    >>> verbatim_overlap(view)
    Value(value=0.6, support=5)
    """
    if view.text is None:
        return Undefined(NO_ANSWER)
    if view.context is None:
        return Undefined("the trace records no context")
    made = words(blank_markers(view.text, [c.id for c in view.citations or ()]), language=view.language)
    if not made:
        return Undefined("the answer holds no word")
    longest = max((longest_run(made, words(text, language=view.language)) for text in view.context), default=0)
    return Value(longest / len(made), support=len(made))
