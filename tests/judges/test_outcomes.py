"""Verdicts on whole answers are asked only where there is something to hold them against."""

from __future__ import annotations

from typing import Any

import pytest
from tests.fakes.judge import FakeJudge
from tests.judges.test_model import case, judged, trace

from ragtriage.core.score import Undefined, Value
from ragtriage.core.verdicts import EscalationVerdict
from ragtriage.core.views import JudgedAnswerView
from ragtriage.judges.model import DECIDES
from ragtriage.metrics.generation.answer_correctness import answer_correctness
from ragtriage.metrics.generation.citation_precision import citation_precision
from ragtriage.metrics.generation.citation_recall import citation_recall
from ragtriage.metrics.generation.judged_escalation import judged_escalation
from ragtriage.metrics.generation.judged_resolution import judged_resolution

WHOLE = frozenset({"correctness", "resolution", "escalation"})
POLICY = "A person takes over when fraud is named."


def test_a_right_answer_is_correct_and_resolves_and_every_alternative_is_shown():
    model = FakeJudge()
    asks = frozenset({"correctness", "resolution"})
    found, _ = judged(model, case(answer="two moons", alternatives=["2"]), trace("It has two moons, or 2."), asks=asks)
    view = JudgedAnswerView(correctness=found.correctness, resolution=found.resolution)
    assert judged_resolution(view) == Value(1.0, support=1)
    assert answer_correctness(view) == Value(1.0, support=1)
    shown = next(r for r in model.requests if r.schema_name == "answer_correctness").messages[-1].content
    assert "two moons" in shown
    assert "or: 2" in shown


def test_without_a_reference_or_a_policy_nobody_is_asked():
    model = FakeJudge()
    found, _ = judged(model, case(), trace(), asks=WHOLE)
    assert (found.correctness, found.resolution, found.escalation, model.requests) == (None, None, None, [])
    view = JudgedAnswerView()
    for metric in (answer_correctness, judged_resolution, judged_escalation):
        assert isinstance(metric(view), Undefined)


@pytest.mark.parametrize(
    ("question", "answer", "score"),
    [
        ("I report fraud", "A colleague takes over.", Value(1.0, support=1)),
        ("I report fraud", "Wait a day.", Value(0.0, support=1)),
        ("Opening hours?", "A colleague takes over.", Value(0.0, support=1)),
        ("Opening hours?", "From nine.", None),
    ],
)
def test_handing_over_is_graded_by_the_policy(question: str, answer: str, score: Value | None):
    asked = case().model_copy(update={"question": question})
    found, _ = judged(FakeJudge(), asked, trace(answer), asks=WHOLE, policy="fraud")
    got = judged_escalation(JudgedAnswerView(escalation=found.escalation))
    assert got == score or (score is None and isinstance(got, Undefined))
    assert isinstance(found.escalation, EscalationVerdict)


def quoting_first(name: str, reply: dict[str, Any]) -> None:
    """Stop after the first good quote, as lazy judges do."""
    if name == "claim_support":
        for one in reply["verdicts"]:
            del one["evidence"][1:]


CITED = trace(
    "Mars has two moons.",
    context=[("p1", "Mars has two moons."), ("p2", "Mars has two moons, says the atlas.")],
    citations=[{"start": 18, "end": 19, "ids": ["p2"]}],
)


def test_a_citation_that_the_matrix_leaves_in_doubt_is_looked_at_again_by_itself():
    from tests.judges.test_model import view  # noqa: PLC0415 - a function of the same name is a fixture elsewhere

    lazy, _ = judged(FakeJudge(change=quoting_first), case(), CITED)
    assert citation_recall(view(lazy, CITED)) == Value(0.0, support=1)
    model = FakeJudge(change=quoting_first)
    again, _ = judged(model, case(), CITED, asks=frozenset({"claims", "citations"}))
    assert citation_recall(view(again, CITED)) == Value(1.0, support=1)
    assert citation_precision(view(again, CITED)) == Value(1.0, support=1)
    assert [r.purpose for r in model.requests] == ["claim_extraction", "claim_support", "citation_support"]
    assert "p1" not in {s for c in again.claims or () for s in c.cited}


def test_a_citation_in_no_doubt_costs_no_call():
    model = FakeJudge()
    judged(model, case(), CITED, asks=frozenset({"claims", "citations"}))
    assert [r.purpose for r in model.requests] == ["claim_extraction", "claim_support"]


def test_every_ask_that_brings_labels_names_the_rubric_to_be_calibrated():
    assert set(DECIDES) >= WHOLE | {"citations"}
