"""A reply becomes one verdict or a failure; forty kinds of bad reply and thousands of mutations show it."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict

from ragtriage.judges.parsing import (
    ReplyRejected,
    check_ids,
    find_quote,
    read_data,
    read_label,
    read_object,
    without_reasoning,
)


class Scored(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    score: float
    reason: str | None = None


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    verdict: int


class Claim(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    id: str
    label: Literal["supported", "contradicted", "not_in_context"]


class Verdicts(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    verdicts: list[Claim]


def inputs(shared, case):
    return json.loads(shared(f"cases/inputs/{case}.json").read_text(encoding="utf-8"))


def test_case_b25_a_fence_or_prose_around_it_does_not_hide_the_verdict(shared):
    read = [read_object(reply, Scored) for reply in inputs(shared, "B25")["replies"]]
    assert [one.score for one in read] == [0.4] * 5
    assert read[4].reason == "uses ``` inside and a } brace"


def test_case_b27_a_draft_in_the_reasoning_is_no_verdict(shared):
    first, second, third = inputs(shared, "B27")["replies"]
    assert read_object(first, Verdict).verdict == 0
    assert read_object(third, Verdict).verdict == 0
    with pytest.raises(ReplyRejected, match="disagree"):
        read_object(second, Verdict)
    kept = read_object('{"score": 1, "reason": "<think>a</think>"}', Scored)
    assert kept.reason == "<think>a</think>"


def test_case_b29_an_unknown_label_is_never_the_passing_one(shared):
    case = inputs(shared, "B29")
    *known, negated, violation = case["replies"]
    assert [read_label(reply, case["labels"]) for reply in known] == ["irrelevant"] * 3
    with pytest.raises(ReplyRejected, match="none of"):
        read_label(negated, case["labels"])
    assert read_label(violation, case["violation_labels"]) == "yes"


def test_case_b31_every_item_is_answered_exactly_once_or_the_reply_is_void(shared):
    case = inputs(shared, "B31")
    for reply in case["replies"]:
        with pytest.raises(ReplyRejected, match=r"answered|asked"):
            check_ids([v["id"] for v in reply["verdicts"]], case["items"])
    check_ids(["c3", "c1", "c2"], case["items"])


GOOD = '{"score": 0.4, "reason": "ok"}'
BAD = {
    "empty": "",
    "white space": " \n\t ",
    "a refusal": "I'm sorry, I cannot help with that.",
    "prose alone": "The score is 0.4.",
    "a bare number": "0.4",
    "null": "null",
    "a string": '"0.4"',
    "an array": "[0.4]",
    "an array around it": f"[{GOOD}]",
    "an object around it": f'{{"result": {GOOD}}}',
    "truncated": '{"score": 0.4, "reason": "o',
    "truncated in a fence": '```json\n{"score": 0.4\n```',
    "a fence never closed": f"```json\n{GOOD}",
    "a fence on one line": f"```json {GOOD} ```",
    "prose before it": f"Sure: {GOOD}",
    "prose after it": f"{GOOD} Hope this helps.",
    "a trailing comma": '{"score": 0.4,}',
    "single quotes": "{'score': 0.4}",
    "a comment": '{"score": 0.4 /* mild */}',
    "unquoted keys": "{score: 0.4}",
    "NaN": '{"score": NaN}',
    "Infinity": '{"score": Infinity}',
    "a number too large": '{"score": 1e999}',
    "a bool for a number": '{"score": true}',
    "a string for a number": '{"score": "0.4"}',
    "null for a number": '{"score": null}',
    "a list for a number": '{"score": [0.4]}',
    "a missing field": '{"reason": "ok"}',
    "a field too many": '{"score": 0.4, "extra": 1}',
    "a key twice": '{"score": 0.9, "score": 0.4}',
    "another case of the key": '{"Score": 0.4}',
    "two that disagree": '{"score": 0.4}\n{"score": 0.6}',
    "two fences that disagree": '```\n{"score": 0.4}\n```\n```\n{"score": 0.6}\n```',
    "a fence and a bare one that disagree": '```\n{"score": 0.4}\n```\n{"score": 0.6}',
    "reasoning without a verdict": f"<think>{GOOD}</think>",
    "reasoning that never ends": f"<think>{GOOD}",
    "an outer object left open": f'{{"a": {GOOD}',
    "a python literal": "dict(score=0.4)",
    "an error page": "<html><body>502 Bad Gateway</body></html>",
    "depth without end": '{"score": ' + "[" * 5000 + "]" * 5000 + "}",
    "braces without end": "{" * 50_000,
    "percent": '{"score": 40%}',
    "zeros before": '{"score": 00.4}',
    "an invisible character in the key": '{"sc\u200bore": 0.4}',
    "a control character in a string": '{"score": 0.4, "reason": "a\nb"}',
}


@pytest.mark.parametrize("reply", BAD.values(), ids=BAD.keys())
def test_a_bad_reply_is_a_failure_and_never_a_score(reply):
    with pytest.raises(ReplyRejected):
        read_object(reply, Scored)


@pytest.mark.parametrize("reason", ["length", "content_filter", "tool_calls", "", "stop_sequence"])
def test_a_reply_that_did_not_finish_is_none(reason):
    with pytest.raises(ReplyRejected, match="finish"):
        read_object(GOOD, Scored, finish_reason=reason)


def test_a_reply_as_long_as_a_book_is_refused_at_once():
    with pytest.raises(ReplyRejected, match="longer"):
        read_object(GOOD + " " * 300_000, Scored)


def test_two_equal_objects_say_the_same_thing_twice():
    assert read_object(f'{GOOD}\n{{"reason": "ok", "score": 0.40}}', Scored).score == 0.4
    assert read_object(f"```json\n{GOOD}\n```\nTo repeat: {GOOD}", Scored).score == 0.4


def test_an_object_of_another_form_beside_the_fence_is_prose():
    assert read_object(f'I read {{"template": 1}}.\n```json\n{GOOD}\n```', Scored).score == 0.4


def test_an_end_of_reasoning_inside_the_verdict_ends_nothing():
    assert without_reasoning('a</think> {"x": "</think>"}').strip() == '{"x": "</think>"}'
    assert without_reasoning("no reasoning {") == "no reasoning {"


@pytest.mark.parametrize("value", ["</think>", "{", '{"score": 1}', "```json", "\u2028"])
def test_a_bare_object_is_read_whole_whatever_its_strings_hold(value):
    whole = {"score": 0.4, "reason": value}
    for text in (
        json.dumps(whole),
        f"\n {json.dumps(whole, ensure_ascii=False)} \n",
        f"<think></think>{json.dumps(whole)}",
    ):
        assert read_data(text, Scored) == whole
        assert read_object(text, Scored).reason == value


def test_a_bare_object_that_says_a_thing_twice_is_none():
    for text in (
        '{"score": 0.4, "score": 1, "reason": "r"}',
        f'{GOOD}{{"score": 1, "reason": "r"}}',
        f"{GOOD}, {GOOD}",
    ):
        with pytest.raises(ReplyRejected):
            read_data(text, Scored)


def test_a_quote_stands_in_its_source_or_the_verdict_is_void():
    assert find_quote("б 5 000 ₸", "комиссиясы\nб 5 000\n₸ құрайды") == (11, 20)
    for quote in ["", " ", "x", "5 001", "Комиссиясы"]:
        with pytest.raises(ReplyRejected):
            find_quote(quote, "комиссиясы 5 000 ₸")


@pytest.mark.parametrize("text", ["relevantly", "relevant? no", "it is relevant", "relevant, or rather irrelevant", ""])
def test_a_text_that_only_resembles_a_label_is_none(text):
    with pytest.raises(ReplyRejected):
        read_label(text, ["relevant", "irrelevant"])
