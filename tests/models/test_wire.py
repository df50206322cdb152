"""Replies are read strictly: nothing out of the protocol becomes a text, a vector or a score."""

from __future__ import annotations

import json

import pytest
from tests.models.asking import request

from ragtriage.core.identity import hash_json
from ragtriage.models.attempts import AttemptFailed, HttpReply
from ragtriage.models.ports import TokenLogprob, Usage
from ragtriage.models.wire import chat_body, most_chat_tokens, read_chat, request_as_data, request_key
from ragtriage.models.wire_vectors import read_embeddings, read_ranking

GOOD = {
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 4}},
}


def reply(document):
    return HttpReply(200, (), document if isinstance(document, str) else json.dumps(document), 1.0)


def changed(**fields):
    choice = {
        **GOOD["choices"][0],
        **{k: v for k, v in fields.items() if k in {"message", "finish_reason", "logprobs"}},
    }
    rest = {k: v for k, v in fields.items() if k not in {"message", "finish_reason", "logprobs"}}
    return {**GOOD, "choices": [choice], **rest}


def test_a_good_reply_is_read():
    found, usage = read_chat(reply(GOOD))
    assert (found.text, found.served_model, usage) == ("yes", "m", Usage(9, 1, 4))


def test_parts_of_text_are_joined_and_other_parts_refused():
    parts = [{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}]
    assert read_chat(reply(changed(message={"content": parts})))[0].text == "yes"
    with pytest.raises(AttemptFailed):
        read_chat(reply(changed(message={"content": [*parts, {"type": "image_url"}]})))


@pytest.mark.parametrize(
    "document",
    [
        "",
        "null",
        "[]",
        '"yes"',
        "{",
        json.dumps(GOOD) + json.dumps(GOOD),
        json.dumps(GOOD).replace('"model": "m"', '"model": "m", "model": "n"'),
        json.dumps(GOOD).replace("9", "NaN"),
        "[" * 100_000,
        changed(choices=None),
        changed(choices={}),
        changed(choices=GOOD["choices"] * 2),
        changed(choices=["yes"]),
        changed(message=None),
        changed(message={"content": 1}),
        changed(message={"content": ""}),
        changed(message={"content": " \n\t"}),
        changed(message={"content": "no", "refusal": "I will not"}),
        changed(finish_reason=None),
        changed(finish_reason="length"),
        changed(finish_reason="STOP"),
        changed(finish_reason=["stop"]),
        changed(error={"message": "broken"}),
        changed(logprobs={"content": [{"token": "y", "logprob": True}]}),
        changed(logprobs={"content": [{"token": "y", "logprob": "0"}]}),
        changed(logprobs={"content": "y"}),
        changed(logprobs={"content": [7]}),
    ],
)
def test_anything_else_is_a_failure(document):
    with pytest.raises(AttemptFailed):
        read_chat(reply(document))


def test_an_impossible_token_is_left_out_of_the_likeliest():
    top = [{"token": "y", "logprob": -0.5}, {"token": "n", "logprob": None}]
    document = changed(logprobs={"content": [{"token": "y", "logprob": -0.5, "top_logprobs": top}]})
    assert read_chat(reply(document))[0].logprobs == (TokenLogprob("y", -0.5, (("y", -0.5),)),)


@pytest.mark.parametrize("usage", [None, 7, {}, {"prompt_tokens": True}, {"prompt_tokens": -1}, {"prompt_tokens": 1.5}])
def test_usage_that_is_none_is_unknown(usage):
    assert read_chat(reply(changed(usage=usage)))[1] is None


def test_more_cached_tokens_than_there_were_count_as_all():
    told = {"prompt_tokens": 3, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 50}}
    assert read_chat(reply(changed(usage=told)))[1] == Usage(3, 1, 3)


def test_the_most_a_request_can_be_billed_for_is_no_less_than_its_bytes():
    asked = request("Сколько стоит? 🦙" * 50, schema={"type": "object"}, max_tokens=77)
    most = most_chat_tokens(asked, chat_body(asked, model="m", refused=frozenset()))
    assert most.input_tokens > sum(len(message.content.encode()) for message in asked.messages)
    assert most.output_tokens == 77


TEXTS = ["yes", 'a "quote" and a \\ in it', "lines\nand\ttabs \x00\x1f", "Сколько стоит? 🦙\u2028\u0085", ""]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("schema", [None, {"type": "object", "b": {"z": 1, "a": "é"}}])
def test_a_request_is_known_by_the_hash_of_all_that_decides_its_reply(text, schema):
    asked = request(text, schema=schema, max_tokens=77, temperature=0.7, seed=None, sample_index=2, top_logprobs=5)
    assert request_key(asked) == hash_json(request_as_data(asked))
    whole = request(text, schema=schema, temperature=0)
    assert request_key(whole) == hash_json(request_as_data(whole))


@pytest.mark.parametrize("text", TEXTS)
def test_the_body_says_what_the_request_says(text):
    asked = request(text, schema={"b": 1, "a": "é"}, max_tokens=77, temperature=0.7, seed=3, top_logprobs=5)
    body = json.loads(chat_body(asked, model='m "x" й', refused=frozenset()))
    assert body == {
        "model": 'm "x" й',
        "messages": [{"role": one.role, "content": one.content} for one in asked.messages],
        "temperature": 0.7,
        "max_tokens": 77,
        "seed": 3,
        "logprobs": True,
        "top_logprobs": 5,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": asked.schema_name, "strict": True, "schema": {"b": 1, "a": "é"}},
        },
    }
    less = json.loads(chat_body(asked, model="m", refused=frozenset({"temperature", "max_tokens", "seed", "logprobs"})))
    assert set(less) == {"model", "messages", "max_completion_tokens", "response_format"}


def rows(*vectors):
    return {"data": [{"index": n, "embedding": vector} for n, vector in enumerate(vectors)]}


@pytest.mark.parametrize(
    "document",
    [
        rows([1.0, 2.0]),  # one too few
        rows([1.0], [2.0], [3.0]),
        rows([1.0], [1.0, 2.0]),
        rows([], []),
        rows([1.0], [True]),
        rows([1.0], ["1"]),
        rows([1.0], [1e300]),  # infinite in float32
        rows([1.0], None),
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": True, "embedding": [1.0]}]},
        {"data": [{"embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]},
        {"data": "x"},
        {},
    ],
)
def test_vectors_that_are_none_are_a_failure(document):
    with pytest.raises(AttemptFailed):
        read_embeddings(reply(document), count=2)


@pytest.mark.parametrize(
    "scores", [[(0, 1.0)], [(0, 1.0), (0, 2.0)], [(0, 1.0), (2, 1.0)], [(0, True), (1, 1.0)], [(0, "1"), (1, 1.0)]]
)
def test_scores_that_are_none_are_a_failure(scores):
    document = {"results": [{"index": index, "relevance_score": score} for index, score in scores]}
    with pytest.raises(AttemptFailed):
        read_ranking(reply(document), count=2)


def test_scores_are_read_from_either_name_of_the_list():
    for name in ("results", "data"):
        document = {name: [{"index": 1, "relevance_score": 0.5}, {"index": 0, "relevance_score": -2}]}
        assert read_ranking(reply(document), count=2)[0] == [-2.0, 0.5]
