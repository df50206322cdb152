"""What was recorded is replayed word for word, failures too; what was not asked is a failure."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.fakes.endpoint import Endpoint
from tests.models.asking import opened, request

from ragtriage.core.clock import SystemClock
from ragtriage.core.errors import BadInput
from ragtriage.models.opening import ChatSettings, open_chat
from ragtriage.models.ports import CallFailed, ChatReply
from ragtriage.models.recording import ReplayChat

ASKED = [request("one", purpose="claims"), request("two", top_logprobs=1), request("three")]


def conversation(model):
    async def run():
        return await asyncio.gather(*(model.complete(asked) for asked in ASKED), return_exceptions=True)

    return run()


def record(path):
    endpoint = Endpoint("ok ok length", latency_s=0.001)

    async def run():
        async with opened(endpoint, {"concurrency": 1}, record=path) as chat:
            return await conversation(chat.model), chat.model.identity

    return asyncio.run(run())


def test_a_recording_is_replayed_word_for_word(tmp_path):
    path = tmp_path / "judge.jsonl"
    told, identity = record(path)

    async def replay():
        chat = open_chat(ChatSettings(model=f"replay/{path}", parser="1"), clock=SystemClock())
        try:
            return await conversation(chat.model), chat.model.identity, chat.ledger
        finally:
            await chat.close()

    again, replayed_identity, ledger = asyncio.run(replay())
    assert replayed_identity == identity
    for one, other in zip(told, again, strict=True):
        if isinstance(one, ChatReply):
            assert (one.text, one.usage, one.logprobs, one.served_model) == (
                other.text,
                other.usage,
                other.logprobs,
                other.served_model,
            )
            assert (other.cached, other.cost_usd) == (True, 0.0)
        else:
            assert (one.kind, one.message, one.attempts) == (other.kind, other.message, other.attempts)
    assert [type(one) for one in told] == [ChatReply, ChatReply, CallFailed]
    assert ledger.cost_usd == 0.0


def test_a_request_that_was_not_recorded_is_a_failure(tmp_path):
    path = tmp_path / "judge.jsonl"
    record(path)
    with pytest.raises(CallFailed, match="holds no reply to this request"):
        asyncio.run(ReplayChat(path).complete(request("another")))


def test_equal_conversations_make_equal_requests_in_the_file(tmp_path):
    record(tmp_path / "a.jsonl")
    record(tmp_path / "b.jsonl")
    texts = [(tmp_path / name).read_text().splitlines() for name in ("a.jsonl", "b.jsonl")]
    keys = [[json.loads(line).get("key") for line in lines] for lines in texts]
    assert keys[0] == keys[1] == [None, *sorted(keys[0][1:])]


def altered(path, change):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines.pop(0), "is no recording"),
        (lambda lines: lines[0].update(schema="other/1"), "is no recording"),
        (lambda lines: lines[1]["request"].update(seed=4), ":2: 'key' is not the hash"),
        (lambda lines: lines.append(lines[1]), ":5: its request was recorded"),
        (lambda lines: [line.pop("reply", None) for line in lines], "lacks 'reply'"),
        (lambda lines: [line.get("reply", {}).update(text=1) for line in lines], "must be texts"),
        (lambda lines: [line["failure"].update(kind="odd") for line in lines if "failure" in line], "must be one of"),
    ],
)
def test_a_file_that_was_changed_is_refused_with_the_line(tmp_path, change, said):
    path = tmp_path / "judge.jsonl"
    record(path)
    altered(path, change)
    with pytest.raises(BadInput, match=said):
        ReplayChat(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(BadInput):
        ReplayChat(tmp_path / "none.jsonl")
