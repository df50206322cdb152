from dataclasses import replace

import pytest

from ragtriage.core.score import Failed, Undefined, Value
from ragtriage.decisions.expectations import judge_case
from ragtriage.decisions.facts import CaseFacts, CriticalScore, GroupFacts, ServiceFacts

PLAIN = CaseFacts(case_id="c", k=4, stages=("dense",), lanes=("dense",), answered=True, actual="answer")
FOUND = GroupFacts("a", ("d1",), ranks={"dense": 2}, in_context=True)
LOST = GroupFacts("b", ("d2",), ranks={"dense": None}, in_context=False)


def test_a_case_that_declares_nothing_is_neither_ok_nor_not():
    assert judge_case(PLAIN).ok is None
    broke = replace(PLAIN, answered=False, service=ServiceFacts(error="Timeout"))
    assert judge_case(broke).ok is None


@pytest.mark.parametrize(
    ("declared", "expectation"),
    [
        ({"expected": "abstain"}, "behaviour"),
        ({"declares_facts": True, "missed_facts": ("8 %",)}, "facts"),
        ({"declares_forbidden": True, "forbidden_made": ("free",)}, "forbidden"),
        ({"declares_format": True, "format_problems": ("it is no JSON",)}, "format"),
        ({"declares_fields": True, "field_problems": ("rate is not 8",)}, "fields"),
        ({"declares_reference": True, "correctness": Value(0.49, 2)}, "reference"),
        ({"groups": (FOUND, LOST)}, "evidence"),
    ],
)
def test_each_declared_expectation_can_break_a_case(declared, expectation):
    judgement = judge_case(replace(PLAIN, **declared))
    assert judgement.ok is False
    assert judgement.kinds == {expectation}


@pytest.mark.parametrize(
    "declared",
    [
        {"expected": "answer", "declares_facts": True, "missed_facts": ()},
        {"declares_forbidden": True, "forbidden_made": ()},
        {"declares_format": True, "format_problems": ()},
        {"declares_fields": True, "field_problems": ()},
        {"declares_reference": True, "correctness": Value(0.5, 2)},
        {"groups": (FOUND,)},
    ],
)
def test_a_case_is_ok_when_what_it_declares_holds(declared):
    judgement = judge_case(replace(PLAIN, **declared))
    assert judgement.ok is True
    assert judgement.broken == ()


def test_what_broke_is_told_in_words():
    judgement = judge_case(replace(PLAIN, declares_facts=True, missed_facts=("8 %", "12 months")))
    assert judgement.broken[0].text == "required facts are not stated: 8 %; 12 months"


def test_a_critical_metric_that_fired_breaks_a_case_whatever_else_is_right():
    leak = CriticalScore("filters.access_violations", Value(1.0, 4), 0.0)
    for facts in (PLAIN, replace(PLAIN, declares_facts=True, missed_facts=())):
        judgement = judge_case(replace(facts, critical=(leak,)))
        assert judgement.ok is False
        assert judgement.critical == ("filters.access_violations",)


@pytest.mark.parametrize("outcome", [Value(0.0, 4), Undefined("nothing came"), Failed("system", "Timeout", "")])
def test_a_critical_metric_fires_by_a_value_alone(outcome):
    quiet = CriticalScore("filters.access_violations", outcome, 0.0)
    assert judge_case(replace(PLAIN, critical=(quiet,))).ok is None


def test_a_reference_is_not_consulted_where_facts_are_declared():
    facts = replace(
        PLAIN, declares_facts=True, missed_facts=(), declares_reference=True, correctness=Value(0.0, 1), groups=(LOST,)
    )
    assert judge_case(facts).ok is True


def test_a_behaviour_alone_does_not_replace_the_reference():
    facts = replace(PLAIN, expected="answer", declares_reference=True, correctness=Value(0.0, 1))
    assert judge_case(facts).kinds == {"reference"}


def test_a_case_that_has_to_abstain_is_not_held_to_a_reference():
    facts = replace(
        PLAIN, expected="abstain", actual="abstain", declares_reference=True, correctness=Value(0.0, 1), groups=(LOST,)
    )
    assert judge_case(facts).ok is True


def test_the_least_correctness_is_a_setting():
    facts = replace(PLAIN, declares_reference=True, correctness=Value(0.6, 2))
    assert judge_case(facts, least_correctness=0.6).ok is True
    assert judge_case(facts, least_correctness=0.61).ok is False


@pytest.mark.parametrize("correctness", [None, Undefined("no judge ran"), Failed("judge", "Timeout", "")])
def test_without_a_judge_the_evidence_is_consulted_in_place_of_the_reference(correctness):
    facts = replace(PLAIN, declares_reference=True, correctness=correctness)
    assert judge_case(facts).ok is None
    assert judge_case(replace(facts, groups=(LOST,))).kinds == {"evidence"}
    assert judge_case(replace(facts, groups=(FOUND,))).ok is True


def test_without_a_context_the_evidence_must_stand_in_the_first_k():
    at_4 = GroupFacts("a", ("d1",), ranks={"dense": 4})
    at_5 = GroupFacts("a", ("d1",), ranks={"dense": 5})
    assert judge_case(replace(PLAIN, groups=(at_4,))).ok is True
    assert judge_case(replace(PLAIN, groups=(at_5,))).ok is False
    assert judge_case(replace(PLAIN, groups=(at_5,), stages=())).ok is None


def test_what_could_not_be_measured_counts_neither_way():
    facts = replace(PLAIN, expected="abstain", actual=None, declares_facts=True, missed_facts=None)
    assert judge_case(facts).ok is None
    assert judge_case(replace(facts, declares_format=True, format_problems=())).ok is True


def test_a_system_that_only_retrieves_is_held_to_the_evidence():
    silent = replace(PLAIN, answered=False, actual=None, expected="answer", declares_facts=True, missed_facts=None)
    assert judge_case(replace(silent, groups=(LOST,))).kinds == {"evidence"}
    assert judge_case(replace(silent, groups=(FOUND,))).ok is True
    assert judge_case(replace(silent, expected="abstain", groups=(LOST,))).ok is None


def test_a_request_that_broke_is_not_ok_where_anything_was_expected():
    broke = replace(
        PLAIN, answered=False, actual=None, expected="abstain", service=ServiceFacts(error="TimeoutError: 60 s")
    )
    judgement = judge_case(broke)
    assert judgement.ok is False
    assert judgement.kinds == {"service"}
