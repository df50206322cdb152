"""The declared form of an answer."""

from __future__ import annotations

import json

import pytest

from ragtriage.core.records import Expected, Format
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation.field_precision import field_precision
from ragtriage.metrics.generation.field_recall import field_recall
from ragtriage.metrics.generation.format import format as form


def checked(text, **wanted):
    return form(AnswerView("?", text, "answer", answerable=True, expected=Expected(format=Format(**wanted))))


SCHEMA = {"type": "object", "required": ["fee"], "properties": {"fee": {"type": "string"}}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"fee": "1%"}', 1.0),
        ('  {"fee": "1%"}\n', 1.0),
        ('{"fee": 1}', 0.0),
        ("fee: 1%", 0.0),
        ('```json\n{"fee": "1%"}\n```', 0.0),
        ('{"fee": "1%", "fee": "2%"}', 0.0),
        ('{"fee": NaN}', 0.0),
        ("[" * 20_000, 0.0),
        ("", 0.0),
    ],
)
def test_json_must_be_strict_and_of_the_schema(text, value):
    assert checked(text, json_schema=SCHEMA) == Value(value, support=1)


def test_the_official_suite_agrees_that_our_check_follows_the_schema(shared):
    for name in ("required", "additionalProperties", "enum", "maxItems", "oneOf", "ref"):
        for group in json.loads(shared(f"data/jsonschema_suite/{name}.json").read_text(encoding="utf-8")):
            schema = group["schema"]
            if not isinstance(schema, dict) or "http" in json.dumps(
                {k: v for k, v in schema.items() if k != "$schema"}
            ):
                continue
            for test in group["tests"]:
                score = checked(json.dumps(test["data"]), json_schema=schema)
                assert score == Value(float(test["valid"]), support=1), (
                    name,
                    group["description"],
                    test["description"],
                )


def test_a_reference_out_of_the_schema_is_not_followed():
    score = checked("{}", json_schema={"$ref": "http://127.0.0.1:9/schema.json"})
    assert isinstance(score, Undefined)
    assert "127.0.0.1" in score.reason


def test_a_broken_schema_or_pattern_is_no_fault_of_the_answer():
    assert isinstance(checked("{}", json_schema={"type": "nonsense"}), Undefined)
    assert isinstance(checked("x", regex="("), Undefined)


def test_a_pattern_that_runs_away_is_stopped():
    score = checked("a" * 40 + "!", regex=r"^(a|a)+(a|a)+(a|a)+(a|aa)+$")
    assert isinstance(score, Value | Undefined)


def test_every_declared_part_must_hold():
    assert checked("from 9:00", regex=r"\d{1,2}:\d{2}", max_words=3, max_characters=9) == Value(1.0, support=3)
    assert checked("from 9:00", regex=r"\d{1,2}:\d{2}", max_words=2) == Value(0.0, support=2)
    assert checked("from 9:00", max_characters=8).value == 0.0
    assert checked("退款在", max_words=3).value == 1.0
    assert checked("退款在十", max_words=3).value == 0.0


def test_the_language_of_the_answer():
    assert checked("Комісія становить один відсоток від суми", language="uk").value == 1.0
    assert checked("Комиссия составляет один процент", language="uk-UA").value == 0.0
    assert checked("350 000 ₸", language="kk") == Undefined("the answer's language cannot be told")
    assert checked("350 000 ₸", language="kk", max_words=1).value == 0.0


def test_nothing_declared_or_answered_is_undefined():
    assert isinstance(form(AnswerView("?", "x", None, answerable=True, expected=Expected())), Undefined)
    assert isinstance(checked("x"), Undefined)
    assert isinstance(checked(None, max_words=1), Undefined)


def fields(wanted, *, given=None, text="", language=None):
    view = AnswerView("?", text, "answer", answerable=True, expected=Expected(fields=wanted), fields=given,
                      language=language)  # fmt: skip
    return field_precision(view), field_recall(view)


def test_field_precision_and_recall_count_by_field():
    wanted = {"limit": "1 500 000 ₸", "grace_days": 55, "tags": ["a", "b"]}
    given = {"limit": "1500000 тенге", "grace_days": 54, "extra": 1}
    assert fields(wanted, given=given, language="ru") == (Value(1 / 3, support=3), Value(1 / 3, support=3))


@pytest.mark.parametrize(
    ("wanted", "given", "same"),
    [
        ("1 %", "1%", True), ("1 %", "1", False), (55, 55.0, True), (55, "55", True), (True, 1, False),
        ("Алматы", "алматы", True), ("2026-03-01", "1 марта 2026", True), (["a", "b"], ["b", "a"], False),
        ({"x": "1%"}, {"x": "1 %"}, True), ({"x": 1}, {"y": 1}, False), (None, "", False),
        ("5 days", "5 days late", False),
    ],
)  # fmt: skip
def test_values_are_the_same_when_they_mean_the_same(wanted, given, same):
    precision, recall = fields({"f": wanted}, given={"f": given})
    assert (precision.value, recall.value) == (float(same), float(same))


def test_fields_may_stand_in_the_text_as_json():
    assert fields({"fee": "1 %"}, text='{"fee": "1%", "x": 0}') == (Value(0.5, support=2), Value(1.0, support=1))
    assert fields({"fee": "1 %"}, text="none") == (Undefined("the answer holds no field"), Value(0.0, support=1))
    assert fields({}, text="{}")[1] == Undefined("the case declares no field")
