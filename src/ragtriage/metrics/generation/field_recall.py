"""Fields that an extraction has to give."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation._fields import read_fields, same_value
from ragtriage.metrics.generation._wording import NO_ANSWER


@metric(
    title="Field recall",
    unit="fraction of fields",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG (guide): extraction",
)
def field_recall(view: AnswerView) -> Score:
    """Share of the declared fields that the answer gives with the right value; an answer without fields gives none.

    Fields are those that the trace records, else the answer's text where it is one JSON object. Texts are compared
    folded, numbers and dates as values. Undefined when the case declares no field and when no answer was recorded.

    >>> from ragtriage.core.records import Expected
    >>> view = AnswerView("?", '{"fee": "1%"}', "answer", answerable=True,
    ...     expected=Expected(fields={"fee": "1 %", "days": 2}))
    >>> field_recall(view)
    Value(value=0.5, support=2)
    """
    wanted = view.expected.fields
    if not wanted:
        return Undefined("the case declares no field")
    if view.text is None and view.fields is None:
        return Undefined(NO_ANSWER)
    given = read_fields(view) or {}
    right = sum(n in given and same_value(v, given[n], language=view.language) for n, v in wanted.items())
    return Value(right / len(wanted), support=len(wanted))
