"""Fields that an extraction gives."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation._fields import read_fields, same_value
from ragtriage.metrics.generation._wording import NO_ANSWER


@metric(
    title="Field precision",
    unit="fraction of fields",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG (guide): extraction",
)
def field_precision(view: AnswerView) -> Score:
    """Share of the fields of the answer that are declared and have the right value; an undeclared field is wrong.

    Fields are those that the trace records, else the answer's text where it is one JSON object. Texts are compared
    folded, numbers and dates as values. Undefined when the case declares no field, when no answer was recorded and when
    the answer holds no field.

    >>> from ragtriage.core.records import Expected
    >>> view = AnswerView("?", '{"fee": "1%"}', "answer", answerable=True,
    ...     expected=Expected(fields={"fee": "1 %", "days": 2}))
    >>> field_precision(view)
    Value(value=1.0, support=1)
    """
    wanted = view.expected.fields
    if not wanted:
        return Undefined("the case declares no field")
    if view.text is None and view.fields is None:
        return Undefined(NO_ANSWER)
    given = read_fields(view)
    if not given:
        return Undefined("the answer holds no field")
    right = sum(n in wanted and same_value(wanted[n], v, language=view.language) for n, v in given.items())
    return Value(right / len(given), support=len(given))
