"""The protocol as endpoints speak it: what is sent, what is read, what is left out, and where keys never go."""

from __future__ import annotations

import asyncio
import json
import logging
import random

import numpy as np
import pytest
from tests.fakes.endpoint import Endpoint
from tests.fakes.script import Step
from tests.models.asking import ask, opened, request

from ragtriage.core.clock import SystemClock
from ragtriage.core.errors import BadInput, RagtriageError
from ragtriage.models.address import Address, ApiKey
from ragtriage.models.budget import Budget
from ragtriage.models.calling import CallPolicy
from ragtriage.models.openai_compatible import OpenAIEmbedder, OpenAIReranker
from ragtriage.models.ports import CallFailed, ChatReply, Message, TokenLogprob, Usage
from ragtriage.models.prices import FREE

SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}
KEY = "sk-canary-0123456789abcdef"


def sent(endpoint):
    return [seen.body for seen in endpoint.seen]


def test_a_request_is_sent_as_the_protocol_has_it_and_the_reply_read_whole():
    asked = request("Ответ?", schema=SCHEMA, schema_name="verdict", seed=7, top_logprobs=3)
    reply, endpoint = ask("", asked=asked)
    assert sent(endpoint) == [
        {
            "model": "fake-1",
            "messages": [{"role": "system", "content": "You judge."}, {"role": "user", "content": "Ответ?"}],
            "temperature": 0.0,
            "max_tokens": 50,
            "seed": 7,
            "logprobs": True,
            "top_logprobs": 3,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA},
            },
        }
    ]
    assert reply.text == '{"verdict": "supported"}'
    assert reply.finish_reason == "stop"
    assert reply.served_model == "fake-1"
    assert reply.usage == Usage(input_tokens=2 + 2, output_tokens=6)  # 10 and 11 bytes, and 24, at four a token
    assert reply.logprobs == (TokenLogprob('{"v', -0.25, (('{"v', -0.25),)),)
    assert not reply.cached
    assert reply.latency_ms > 0


def test_what_is_not_asked_for_is_not_sent():
    _, endpoint = ask("")
    assert sent(endpoint)[0].keys() == {"model", "messages", "temperature", "max_tokens"}


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("length", "truncated"),
        ("refusal", "refused"),
        ("content_filter", "refused"),
        ("400", "refused"),
        ("413", "refused"),
        ("empty", "bad_reply"),
        ("null", "bad_reply"),
        ("no_choice", "bad_reply"),
        ("two_choices", "bad_reply"),
        ("tool_calls", "bad_reply"),
        ("gzip", "bad_reply"),
        ("huge", "bad_reply"),
        ("badjson", "bad_reply"),
        ("html", "bad_reply"),
        ("latin1", "bad_reply"),
        ("500", "server"),
        ("error200", "server"),
        ("429", "rate_limited"),
        ("cut", "network"),
        ("rst", "network"),
        ("stall", "timeout"),
        ("drip", "timeout"),
        ("never_close", "timeout"),
    ],
)
def test_each_fault_has_its_kind(fault, kind):
    endpoint = Endpoint(fault, repeat_last=True)
    patience_s = 0.1 if kind == "timeout" else 10.0  # a busy machine is no time-out
    failure, _ = ask("", {"max_attempts": 2, "attempt_timeout_s": patience_s}, endpoint=endpoint)
    assert isinstance(failure, CallFailed)
    assert failure.kind == kind


@pytest.mark.parametrize("fault", ["no_usage", "bad_usage"])
def test_usage_that_is_not_counted_in_whole_numbers_is_unknown(fault):
    reply, _ = ask(fault)
    assert isinstance(reply, ChatReply)
    assert reply.usage is None


# What an endpoint does not take.


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("response_format", request(schema=SCHEMA)),
        ("seed", request(seed=1)),
        ("temperature", request()),
        ("logprobs", request(top_logprobs=2)),
    ],
)
def test_a_parameter_that_is_refused_is_left_out_once_and_for_all(name, asked):
    endpoint = Endpoint(refuses=(name,))

    async def run():
        async with opened(endpoint) as chat:
            return [await chat.model.complete(asked) for _ in range(3)]

    replies = asyncio.run(run())
    assert [reply.attempts for reply in replies] == [2, 1, 1]
    assert [name in body for body in sent(endpoint)] == [True, False, False, False]


def test_the_most_tokens_are_named_anew_where_the_old_name_is_refused():
    said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    _, endpoint = ask([Step("400", {"say": said})])
    assert "max_tokens" in sent(endpoint)[0]
    assert sent(endpoint)[1]["max_completion_tokens"] == 50
    assert "max_tokens" not in sent(endpoint)[1]


def test_a_refusal_that_quotes_the_words_of_the_prompt_changes_nothing():
    said = "the prompt about temperature and seed with max_tokens is too long"
    failure, endpoint = ask([Step("400", {"say": said})], asked=request(seed=1))
    assert failure.kind == "refused"
    assert endpoint.requests == 1


def test_calls_that_are_refused_at_once_each_learn_and_go_on():
    endpoint = Endpoint(refuses=("response_format",), latency_s=0.01)

    async def run():
        async with opened(endpoint, {"concurrency": 8}) as chat:
            calls = (chat.model.complete(request(str(n), schema=SCHEMA)) for n in range(8))
            return await asyncio.gather(*calls)

    assert len(asyncio.run(run())) == 8
    assert endpoint.requests <= 16


# Where nothing may go.


def test_no_redirect_is_followed():
    endpoint = Endpoint("ok redirect")

    async def run():
        async with opened(endpoint) as chat:
            await chat.model.complete(request("first"))
            with pytest.raises(CallFailed, match="redirect"):
                await chat.model.complete(request("second"))

    asyncio.run(run())
    assert [seen.route for seen in endpoint.seen] == ["chat/completions"] * 2


def test_proxies_and_netrc_of_the_surroundings_are_not_used(monkeypatch, tmp_path):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password hunter2hunter2\n")
    monkeypatch.setenv("NETRC", str(netrc))
    reply, endpoint = ask("")
    assert isinstance(reply, ChatReply)
    assert "Authorization" not in endpoint.seen[0].headers


def test_a_reply_is_read_up_to_its_limit_only():
    failure, _ = ask("huge(bytes=17000000)")
    assert failure.kind == "bad_reply"
    assert "larger than 16,777,216 bytes" in failure.message


FAULTS = [
    "",
    "401",
    "400",
    "429",
    "500",
    "redirect",
    "cut",
    "rst",
    "badjson",
    "html",
    "error200",
    "refusal",
    "tool_calls",
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_key_is_sent_in_its_header_and_appears_nowhere_else(fault, tmp_path, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    key = ApiKey.from_environment("env:JUDGE_KEY", {"JUDGE_KEY": KEY})

    def echo(_body):
        return json.dumps({"verdict": f"your key is {KEY}"})

    steps = [Step(fault, {"say": f"wrong key {KEY}", "X-Echo": KEY})] * 9 if fault else []
    endpoint = Endpoint(steps, answer=echo, model=KEY)
    files = {"cache": tmp_path / "replies.sqlite", "record": tmp_path / "record.jsonl"}
    told = []

    async def run():
        async with opened(endpoint, {"max_attempts": 2}, api_key=key, **files) as chat:
            told.append(repr(chat))
            try:
                reply = await chat.model.complete(request())
                await chat.model.confirm(request(), reply)
                told.append(repr(reply))
            except RagtriageError as error:
                told.extend([str(error), repr(error), repr(error.__cause__), repr(error.__context__)])
            told.extend([chat.model.identity, repr(chat.ledger), repr(key), str(key)])

    asyncio.run(run())
    assert endpoint.seen[0].headers["Authorization"] == f"Bearer {KEY}"
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert KEY.encode() not in written
    assert written
    output = capfd.readouterr()
    library = [record.getMessage() for record in caplog.records if not record.name.startswith("aiohttp.server")]
    assert KEY not in "\n".join([*told, *library, output.out, output.err])
    assert endpoint.seen[0].body["messages"][0]["content"] == "You judge."


def test_a_key_may_have_a_header_of_its_own():
    key = ApiKey.from_environment("env:K", {"K": KEY})
    _, endpoint = ask("", api_key=key, key_header="api-key")
    assert endpoint.seen[0].headers["api-key"] == KEY
    assert "Authorization" not in endpoint.seen[0].headers


@pytest.mark.parametrize(
    ("reference", "environment"),
    [
        (KEY, {}),
        ("env:MISSING", {}),
        ("env:EMPTY", {"EMPTY": ""}),
        ("env:SPLIT", {"SPLIT": f"{KEY}\r\nX-Evil: 1"}),
        ("Bearer env:K", {"K": KEY}),
    ],
)
def test_a_key_that_is_no_usable_variable_is_refused_without_being_shown(reference, environment):
    with pytest.raises(BadInput) as refused:
        ApiKey.from_environment(reference, environment)
    assert KEY not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/v1",
        "host/v1",
        "http://",
        f"https://user:{KEY}@host/v1",
        "http://host:0",
        "http://host:x",
        "file:///etc",
    ],
)
def test_an_address_that_is_none_is_refused_without_showing_a_password(url):
    with pytest.raises(BadInput, match="base_url") as refused:
        Address(url)
    assert KEY not in str(refused.value)


def test_the_identity_names_endpoint_and_model_and_no_query():
    address = Address("https://host.example/v1/?code=secret", ApiKey("K", KEY))
    assert address.identity == "https://host.example/v1"
    assert address.url("chat/completions") == "https://host.example/v1/chat/completions?code=secret"
    assert KEY not in repr(address)


# Vectors and scores.


def run_with(model_class, endpoint, use):
    async def run():
        async with endpoint.serving():
            model = model_class(
                Address(endpoint.base_url),
                model="fake-1",
                policy=CallPolicy(first_wait_s=0.01, max_attempts=2, attempt_timeout_s=1.0),
                clock=SystemClock(),
                rng=random.Random(1),
                budget=Budget(max_usd=1.0),
                price=FREE,
            )
            try:
                return await use(model)
            finally:
                await model.close()

    return asyncio.run(run())


def test_vectors_come_in_the_order_of_the_texts_whatever_the_order_of_the_reply():
    endpoint = Endpoint()
    texts = [("x" * n) for n in range(1, 151)]
    vectors = run_with(OpenAIEmbedder, endpoint, lambda model: model.embed(texts))
    assert [vector[0] for vector in vectors] == [float(n) for n in range(1, 151)]
    assert all(vector.dtype == np.float32 and vector.shape == (3,) for vector in vectors)
    assert sorted(len(body["input"]) for body in sent(endpoint)) == [22, 64, 64]
    assert run_with(OpenAIEmbedder, Endpoint(), lambda model: model.embed([])) == []


def test_a_failed_batch_fails_the_request_with_our_own_error():
    endpoint = Endpoint("400", repeat_last=True)
    with pytest.raises(CallFailed, match="400"):
        run_with(OpenAIEmbedder, endpoint, lambda model: model.embed(["x"] * 100))


def test_scores_come_in_the_order_of_the_texts():
    texts = ["nothing", "the fee is high", "the fee"]
    scores = run_with(OpenAIReranker, Endpoint(), lambda model: model.rank("the fee", texts))
    assert scores == [-0.5, 1.5, 1.5]
    assert run_with(OpenAIReranker, Endpoint(), lambda model: model.rank("q", [])) == []


def test_messages_are_frozen_records():
    with pytest.raises(AttributeError):
        Message("user", "x").content = "y"
