"""Schema validity against the official test suite of JSON Schema 2020-12, and random values against jsonschema."""

from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.ontology_views import OutputView
from ragtriage.core.score import Undefined, Value
from ragtriage.metrics.ontology.schema_validity import schema_validity

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)
SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["object", "array", "integer", "string", ["null", "boolean"]]),
        "required": st.lists(st.sampled_from("ab"), unique=True),
        "properties": st.dictionaries(st.sampled_from("ab"), st.just({"type": "integer"})),
        "items": st.sampled_from([True, False, {"minimum": 0}]),
        "minLength": st.integers(0, 3),
        "enum": st.lists(VALUES, min_size=1, max_size=2),
        "not": st.just({"type": "string"}),
    },
)


def test_the_official_suite_is_passed_but_for_what_would_have_to_be_fetched(shared):
    wrong, unknown, right = [], [], 0
    for file in sorted(shared("data/jsonschema_suite").glob("*.json")):
        for group in json.loads(file.read_text()):
            for test in group["tests"]:
                view = OutputView(json.dumps(test["data"]), group["schema"])
                found = schema_validity(view)
                if isinstance(found, Undefined):
                    unknown.append(found.reason)
                elif found == Value(float(test["valid"]), 1):
                    right += 1
                else:
                    wrong.append((file.stem, group["description"], test["description"]))
    assert wrong == []
    assert right > 1000
    # Not told: schemas that lie elsewhere, and patterns with \\p{...}, which Python's own patterns do not have.
    assert {
        why for why in unknown if "refers to" not in why and "localhost:1234" not in why and r"\\p{" not in why
    } == set()
    assert len(unknown) < right / 10


@given(SCHEMAS, VALUES)
@settings(max_examples=200, deadline=None)
def test_random_values_agree_with_jsonschema(schema, value):
    expected = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert schema_validity(OutputView(json.dumps(value), schema)) == Value(float(expected), 1)


@pytest.mark.parametrize("text", ["", "{", '{"a": 1} and more', '```json\n{"a": 1}\n```', "NaN", '{"a": 1, "a": 2}'])
def test_what_is_not_one_json_value_is_invalid(text):
    assert schema_validity(OutputView(text, {"type": "object"})) == Value(0.0, 1)


def test_a_broken_schema_is_no_fault_of_the_output():
    assert isinstance(schema_validity(OutputView("1", {"type": "number of things"})), Undefined)
    assert schema_validity(OutputView(None, {})) == Undefined("no answer was recorded")
    assert schema_validity(OutputView("1", None)) == Undefined("no JSON schema is declared")
