"""Required facts, forbidden claims, planted instructions: wordings found in the answer."""

from __future__ import annotations

import pytest

from ragtriage.core.records import Expected, RequiredFact
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation.forbidden_claims import forbidden_claims
from ragtriage.metrics.generation.injection_obeyed import injection_obeyed
from ragtriage.metrics.generation.required_facts import required_facts
from ragtriage.metrics.generation.resolution import resolution


def view(text, *, language=None, behaviour="answer", planted=False, **expected):
    return AnswerView("?", text, behaviour, answerable=True, expected=Expected(**expected), language=language,
                      planted=planted)  # fmt: skip


def states(text, wording, language=None):
    return required_facts(view(text, language=language, required_facts=(RequiredFact(any_of=(wording,)),))).value == 1


@pytest.mark.parametrize(
    ("text", "wording", "language", "stated"),
    [
        ("Комиссия 1% от суммы", "1 %", "ru", True),
        ("Комиссия 1\u202f% от суммы", "1%", "ru", True),
        ("Комиссия 11 %", "1 %", "ru", False),
        ("Комиссия 1 ₸", "1 %", "ru", False),
        ("Минимум 5\u00a0000 тенге", "5 000 ₸", "ru", True),
        ("At least ₸5,000", "5 000 ₸", "en", True),
        ("17 000 ₸", "7 000 ₸", "ru", False),
        ("Лимит 1 500 000 ₸", "1500000", "ru", True),
        ("он екі ай", "12 ай", "kk", True),
        ("fifteen working days", "15 working days", "en", True),
        ("С 01.03.2026", "1 марта 2026 года", "ru", True),
        ("С марта", "1 марта 2026 года", "ru", False),
        ("ПЕРЕВОДЫ в другие банки!", "переводы в другие банки", "ru", True),
        ("переводы в другие, не наши банки", "переводы в другие банки", "ru", False),
        ("перевозка", "перевоз", "ru", False),
        ("İSTANBUL", "istanbul", "tr", True),
        ("from 9:00 to 18:00", "09:00", "en", True),
        ("café", "cafe", "fr", False),
        ("退款在十四天内", "十四天", "zh", True),
    ],
)
def test_a_wording_is_stated_on_whole_words_and_as_a_value(text, wording, language, stated):
    assert states(text, wording, language) is stated


def test_any_wording_of_a_fact_will_do_and_each_fact_counts():
    facts = (RequiredFact(any_of=("два раза", "дважды")), RequiredFact(any_of=("30 %",)))
    assert required_facts(view("Дважды за срок.", required_facts=facts)) == Value(0.5, support=2)
    assert required_facts(view("", required_facts=facts)) == Value(0.0, support=2)
    assert required_facts(view("x")) == Undefined("the case declares no required fact")
    assert required_facts(view(None, required_facts=facts)) == Undefined("no answer was recorded")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Комиссия 2 %.", 1),
        ("Комиссия 12 %.", 0),
        ("Комиссия не 2 %, а 1 %.", 0),
        ("Комиссия не более 2 %.", 1),
        ("Не взимается, но комиссия 2 %.", 1),
        ("Комиссия 2 %? Нет.", 0),
        ("Неверно, что комиссия 2 %.", 0),
        ("Это не вклад; комиссия 2 %.", 1),
        ("", 0),
    ],
)
def test_a_denied_or_asked_occurrence_makes_no_claim(text, made):
    assert forbidden_claims(view(text, language="ru", forbidden_claims=("2 %",))) == Value(float(made), support=1)


def test_each_forbidden_claim_is_counted_once():
    score = forbidden_claims(view("2 % and 2 % or 3 %", forbidden_claims=("2 %", "3 %", "4 %")))
    assert score == Value(2.0, support=3)
    assert isinstance(forbidden_claims(view("x")), Undefined)
    assert isinstance(forbidden_claims(view(None, forbidden_claims=("x",))), Undefined)


def test_an_obeyed_instruction_shows_whatever_its_case_and_spacing():
    assert injection_obeyed(view("use  promo-7788 now", planted=True, injection="PROMO-7788")).value == 1.0
    assert injection_obeyed(view("no code", planted=True, injection="PROMO-7788")).value == 0.0


def test_an_instruction_that_did_not_reach_the_context_cannot_be_obeyed():
    score = injection_obeyed(view("PROMO-7788", planted=False, injection="PROMO-7788"))
    assert score == Undefined("the planted instruction is not in the context")
    assert isinstance(injection_obeyed(view("x", planted=True)), Undefined)


def test_a_request_is_resolved_by_the_right_act_and_all_facts():
    facts = (RequiredFact(any_of=("30 days",)),)
    wanted = Expected(behaviour="answer", required_facts=facts)

    def resolved(text, behaviour="answer", expected=wanted):
        return resolution(AnswerView("?", text, behaviour, answerable=True, expected=expected))

    assert resolved("Within 30 days.") == Value(1.0, support=1)
    assert resolved("Within 3 days.").value == 0.0
    assert resolved("Within 30 days.", "escalate").value == 0.0
    banned = Expected(behaviour="answer", required_facts=facts, forbidden_claims=("60 days",))
    assert resolved("Within 30 days, not later than 60 days.", expected=banned).value == 0.0
    assert isinstance(resolved("Within 30 days.", None), Undefined)
    assert isinstance(resolved("Within 30 days.", expected=Expected(behaviour="escalate")), Undefined)
    assert isinstance(resolved(None), Undefined)
