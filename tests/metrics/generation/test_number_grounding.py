"""Numbers of the answer against the numbers of its context."""

from __future__ import annotations

import json

import pytest

from ragtriage.core.records import Expected
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import AnswerView, CitedItem
from ragtriage.metrics.generation.number_grounding import number_grounding


def grounded(answer, *context, question="?", language=None, citations=None):
    view = AnswerView(question, answer, "answer", answerable=True, expected=Expected(), language=language,
                      context=context, citations=citations)  # fmt: skip
    return number_grounding(view)


def test_digits_of_other_scripts_are_grounded_as_numbers(shared):
    case = json.loads(shared("cases/inputs/B19.json").read_text(encoding="utf-8"))
    values = [grounded(answer, case["context"]).value for answer in case["answers"]]
    assert values == [1.0, 1.0, 1.0, 0.0]


def test_a_number_is_compared_as_a_number(shared):
    case = json.loads(shared("cases/inputs/B71.json").read_text(encoding="utf-8"))
    for context, target, right in case["pairs"]:
        language = "de" if "(de)" in context else None
        assert grounded(target, context, language=language).value == float(right), (context, target)


def test_an_ambiguous_form_without_a_locale_is_neither_right_nor_wrong():
    assert grounded("1250 units", "1.250 units") == Undefined("the answer holds no number to check")
    assert grounded("1250 units and 7", "1.250 units") == Value(0.0, support=1)
    assert grounded("1250 Stück", "1.250 Stück", language="de") == Value(1.0, support=1)


@pytest.mark.parametrize(
    ("answer", "context", "expected"),
    [
        ("Комиссия 5 000 ₸", "fee of 5,000 tenge", 1.0),
        ("за 12 месяцев", "двенадцать месяцев", 1.0),
        ("за 12 месяцев", "12 дней", 0.0),
        ("2,5 млн ₸", "2 500 000 тенге", 1.0),
        ("с 1 марта 2026 года", "действует с 01.03.2026", 1.0),
        ("с 1 марта 2026 года", "действует с 02.03.2026", 0.0),
        ("в 2026 году", "с 01.03.2026", 1.0),
        ("15 %", "15 ₸", 0.0),
        ("4 + 2 = 6", "4 days and 2 days", 1.0),
        ("4 + 2 = 7", "4 days and 2 days", 2 / 3),
        ("4 + 3 = 7", "4 days and 2 days", 1 / 3),
        ("5 % × 200 000 ₸ = 10 000 ₸", "ставка 5 %, взнос 200 000 ₸", 1.0),
        ("7 − 2 × 3 = 1", "7, 2, 3", 1.0),
        ("10 / 3 = 3.33", "10 and 3", 1.0),
        ("10 / 0 = 5", "10 and 0", 2 / 3),
        ("Ставка 13,3 %, надбавка 0,25 %, всего 13,55 %", "13,3 % и 0,25 %", 1.0),
        ("Ставка 13,3 %, надбавка 0,25 %, всего 13,65 %", "13,3 % и 0,25 %", 2 / 3),
        ("1. First 5 ₸\n2. Second 6 ₸", "5 ₸ or 6 ₸", 1.0),
        ("5 ₸ [3]", "5 ₸", 1.0),
        ("the one in town costs 5 ₸", "5 ₸", 1.0),
    ],
)
def test_units_dates_sums_and_marks(answer, context, expected):
    assert grounded(answer, context, language="ru" if "₸" in answer or "м" in answer else None).value == pytest.approx(
        expected
    )


def test_a_number_that_the_question_brought_is_not_counted():
    assert grounded("Not 2 % but 1 %.", "1 %", question="Is it 2 %?") == Value(1.0, support=1)
    assert isinstance(grounded("Not 2 %.", "free", question="Is it 2 %?"), Undefined)


def test_an_id_in_a_citation_mark_is_no_number():
    cited = (CitedItem("doc-77", in_context=True),)
    assert isinstance(grounded("It is free [doc-77].", "free", citations=cited), Undefined)


def test_no_number_no_answer_and_no_recorded_context_are_undefined():
    assert isinstance(grounded("It is free.", "free"), Undefined)
    view = AnswerView("?", None, None, answerable=True, expected=Expected(), context=())
    assert number_grounding(view) == Undefined("no answer was recorded")
    view = AnswerView("?", "5", None, answerable=True, expected=Expected())
    assert number_grounding(view) == Undefined("the trace records no context")
    assert grounded("5 ₸") == Value(0.0, support=1)
