"""Templates of requests and JSONPaths of replies."""

from __future__ import annotations

import json
from datetime import date

import pytest

from ragtriage.core.records import Principal
from ragtriage.core.system import Question
from ragtriage.runs.asking import AskFailed
from ragtriage.runs.systems.template import body_of, fill, fill_url, read_fields, template_faults, values_of

HOSTILE = 'a "quoted" \\ line\nbreak {{case_id}} \u2028 } ]'
VALUES = values_of(Question(HOSTILE, "../c 1", Principal(tenant=None, roles=("a", "b")), date(2026, 3, 1), "kk"))


def test_no_question_can_break_the_json_of_a_body_or_is_filled_in_twice() -> None:
    template = body_of('{"q": "{{question}}", "both": "<{{question}}|{{language}}>", "n": [1, "{{as_of}}"]}')
    filled = json.loads(json.dumps(fill(template, VALUES)))
    assert filled == {"q": HOSTILE, "both": f"<{HOSTILE}|kk>", "n": [1, "2026-03-01"]}


def test_a_placeholder_alone_keeps_null_and_lists() -> None:
    template = {"tenant": "{{principal.tenant}}", "roles": "{{ principal.roles }}", "in": "t={{principal.tenant}}"}
    assert fill(template, VALUES) == {"tenant": None, "roles": ["a", "b"], "in": "t="}


def test_values_in_an_address_are_percent_encoded() -> None:
    assert fill_url("http://h/ask/{{case_id}}?r={{principal.roles}}", VALUES) == "http://h/ask/..%2Fc%201?r=a%2Cb"


def test_an_unknown_placeholder_is_named_with_its_neighbour() -> None:
    (fault,) = template_faults({"deep": [{"q": "{{qestion}}"}]})
    assert "{{qestion}} is no placeholder. Did you mean 'question'?" in fault


REPLY = {
    "result": {"text": "two", "usage": {"in": 7}},
    "hits": [{"id": "d#1", "body": "b1", "score": 0.5}, {"id": "d#2", "body": "b2", "score": 0.25}],
}


def test_fields_lists_and_rankings_are_read_by_jsonpath() -> None:
    fields = {
        "answer.text": "$.result.text",
        "tokens.input": "$.result.usage.in",
        "tokens.output": "$.result.usage.out",
        "context[].id": "$.hits[*].id",
        "context[].text": "$.hits[*].body",
        "rankings.dense[].id": "$.hits[*].id",
        "rankings.dense[].score": "$.hits[*].score",
    }
    assert read_fields(REPLY, fields) == {
        "answer": {"text": "two"},
        "tokens": {"input": 7},
        "context": [{"id": "d#1", "text": "b1"}, {"id": "d#2", "text": "b2"}],
        "rankings": [{"stage": "dense", "hits": [{"id": "d#1", "score": 0.5}, {"id": "d#2", "score": 0.25}]}],
    }


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"answer": "$.nothing"}, "nothing at $.nothing"),
        ({"answer.text": "$.hits[*].id"}, "finds 2 values"),
        ({"context[].id": "$.hits[*].id", "context[].text": "$.hits[0].body"}, "different number of times"),
    ],
)
def test_a_reply_that_does_not_fit_its_paths_is_a_failure(fields: dict[str, str], words: str) -> None:
    with pytest.raises(AskFailed) as failed:
        read_fields(REPLY, fields)
    assert words in failed.value.message
