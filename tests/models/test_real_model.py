"""A real model over the real protocol: schema, log probabilities, truncation, cache and budget."""

from __future__ import annotations

import asyncio
import json
import math

import pytest

from ragtriage.core.clock import SystemClock
from ragtriage.models.calling import CallPolicy
from ragtriage.models.opening import ChatSettings, open_chat
from ragtriage.models.ports import CallFailed, ChatRequest, Message
from ragtriage.models.prices import Price
from ragtriage.models.recording import ReplayChat

QUESTION = (
    Message("system", "You judge whether a claim is supported by the context. Reply with JSON."),
    Message("user", "Context: The fee is 1 %. Claim: The fee is 1 %."),
)
SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "maxLength": 60},
        "label": {"type": "string", "enum": ["supported", "contradicted", "not_in_context"]},
    },
    "required": ["reason", "label"],
    "additionalProperties": False,
}


def with_model(real_model_url, use, **settings):
    async def run():
        given = {"model": "openai/smollm2", "base_url": real_model_url, "parser": "1", **settings}
        policy = CallPolicy(concurrency=1, deadline_s=100.0, attempt_timeout_s=100.0)
        chat = open_chat(ChatSettings(policy=policy, **given), clock=SystemClock())
        try:
            return await use(chat)
        finally:
            await chat.close()

    return asyncio.run(run())


def test_a_reply_keeps_to_the_schema_with_its_log_probabilities_and_is_cached_and_replayed(real_model_url, tmp_path):
    asked = ChatRequest(QUESTION, SCHEMA, "verdict", max_tokens=300, seed=1, top_logprobs=2, purpose="test")
    files = {"cache": tmp_path / "replies.sqlite", "record": tmp_path / "recording.jsonl"}

    async def twice(chat):
        first = await chat.model.complete(asked)
        await chat.model.confirm(asked, first)
        return first, await chat.model.complete(asked), chat.ledger

    first, second, ledger = with_model(real_model_url, twice, price=Price(1.0, 1.0), max_cost_usd=0.01, **files)
    said = json.loads(first.text)
    assert list(said) == ["reason", "label"]
    assert said["label"] in SCHEMA["properties"]["label"]["enum"]
    assert first.finish_reason == "stop"
    assert first.usage.input_tokens > 20
    assert len(first.logprobs) >= first.usage.output_tokens - 1
    assert all(math.isfinite(one.logprob) and one.logprob <= 0 for one in first.logprobs)
    assert first.cost_usd == pytest.approx((first.usage.input_tokens + first.usage.output_tokens) / 1e6)
    assert (second.text, second.cached, second.cost_usd) == (first.text, True, 0.0)
    assert (ledger.attempts, len(ledger.served_models)) == (1, 1)
    replayed = asyncio.run(ReplayChat(files["record"]).complete(asked))
    assert (replayed.text, replayed.logprobs) == (first.text, first.logprobs)


def test_a_reply_cut_at_its_most_tokens_is_a_failure_and_counted(real_model_url):
    async def cut(chat):
        with pytest.raises(CallFailed) as failed:
            await chat.model.complete(ChatRequest(QUESTION, SCHEMA, "verdict", max_tokens=6))
        return failed.value.kind, chat.ledger.attempts, dict(chat.ledger.failed)

    assert with_model(real_model_url, cut) == ("truncated", 1, {("", "truncated"): 1})


def test_a_prompt_that_is_too_long_for_the_model_is_a_failure(real_model_url):
    async def too_long(chat):
        with pytest.raises(CallFailed) as failed:
            await chat.model.complete(ChatRequest((Message("user", "word " * 3000),), max_tokens=5))
        return failed.value.kind, chat.ledger.attempts

    assert with_model(real_model_url, too_long) == ("refused", 1)
