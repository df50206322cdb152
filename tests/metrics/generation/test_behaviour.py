"""Abstention, escalation, citation ids, entities."""

from __future__ import annotations

import pytest

from ragtriage.core.records import Expected
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import AnswerView, CitedItem
from ragtriage.metrics.generation.abstention_precision import abstention_precision
from ragtriage.metrics.generation.abstention_recall import abstention_recall
from ragtriage.metrics.generation.dangling_citations import dangling_citations
from ragtriage.metrics.generation.entity_grounding import entity_grounding
from ragtriage.metrics.generation.escalation import escalation
from ragtriage.metrics.generation.unsafe_citation import unsafe_citation


def view(text="x", *, behaviour="answer", answerable=True, expected=None, **rest):
    return AnswerView("?", text, behaviour, answerable=answerable, expected=expected or Expected(), **rest)


def asked(answerable, behaviour):
    return view(behaviour=behaviour, answerable=answerable)


def test_the_abstention_table():
    cases = [asked(False, "abstain")] * 3 + [asked(False, "answer")] + [asked(True, "abstain")] * 2 + [
        asked(True, "answer"), asked(False, None), asked(True, "clarify")]  # fmt: skip
    assert abstention_precision(cases) == Value(3 / 5, support=5)
    assert abstention_recall(cases) == Value(3 / 4, support=4)


def test_without_abstentions_or_such_questions_there_is_no_share():
    assert isinstance(abstention_precision([asked(False, "answer")]), Undefined)
    assert isinstance(abstention_recall([asked(True, "abstain")]), Undefined)
    assert isinstance(abstention_recall([asked(False, None)]), Undefined)


@pytest.mark.parametrize(
    ("wanted", "acted", "value"),
    [("escalate", "escalate", 1.0), ("escalate", "answer", 0.0), ("answer", "escalate", 0.0)],
)
def test_an_escalation_is_right_only_where_it_is_due(wanted, acted, value):
    assert escalation(view(behaviour=acted, expected=Expected(behaviour=wanted))).value == value


@pytest.mark.parametrize(("wanted", "acted"), [("answer", "answer"), (None, "escalate"), ("escalate", None)])
def test_a_case_without_escalation_says_nothing_of_it(wanted, acted):
    assert isinstance(escalation(view(behaviour=acted, expected=Expected(behaviour=wanted))), Undefined)


def test_dangling_and_unsafe_citations():
    cited = (
        CitedItem("a", in_context=True, trusted=True, permitted=True, superseded=False),
        CitedItem("b", in_context=True, trusted=False, permitted=True, superseded=False),
        CitedItem("c", in_context=True, trusted=True, permitted=False, superseded=None),
        CitedItem("d", in_context=True, trusted=True, permitted=True, superseded=True),
        CitedItem("gone", in_context=False),
    )
    assert dangling_citations(view(citations=cited)) == Value(1 / 5, support=5)
    assert unsafe_citation(view(citations=cited)) == Value(3 / 4, support=4)
    for metric in (dangling_citations, unsafe_citation):
        assert metric(view(citations=())) == Undefined("the answer cites nothing")
        assert metric(view()) == Undefined("the trace records no citations")
    assert isinstance(unsafe_citation(view(citations=(CitedItem("gone", in_context=False),))), Undefined)


@pytest.mark.parametrize(
    ("answer", "context", "expected"),
    [
        ("Обратитесь в отделение «Левый берег» в Астане.", "Отделение «Левый берег», город Астана.", 1.0),
        ("Обратитесь в отделение «Правый берег» в Астане.", "Отделение «Левый берег», город Астана.", 0.5),
        ("Write to help@bank.kz.", "HELP@BANK.KZ", 1.0),
        ("Write to help@bank.kz.", "kelp@bank.kz", 0.0),
        ("Fill in form R-14.", "Form R-141.", 0.0),
        ("See https://bank.kz/a.", "at https://bank.kz/a, please", 1.0),
        ("It was Anna Berg.", "Anna. Carl Berg.", 1.0),
    ],
)
def test_entities_of_the_answer_are_looked_for_in_the_context(answer, context, expected):
    assert entity_grounding(view(answer, context=(context,))).value == expected


def test_an_entity_of_the_question_is_not_counted():
    asked_for = AnswerView("What does Kaspi charge?", "The bank Kaspi charges 1%.", "answer", answerable=True,
                           expected=Expected(), context=("1%",))  # fmt: skip
    assert entity_grounding(asked_for) == Undefined("the answer holds no entity to check")
