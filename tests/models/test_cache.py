"""A reply is paid for once: what is kept, what is not, and what becomes of a file that is damaged or full."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from dataclasses import replace

import pytest
from tests.fakes.endpoint import Endpoint
from tests.models.asking import request

from ragtriage.core.clock import SystemClock
from ragtriage.core.errors import StorageFailed
from ragtriage.models.cache import CachedChat, ReplyCache
from ragtriage.models.opening import ChatSettings, open_chat
from ragtriage.models.ports import CallFailed, ChatReply, TokenLogprob, Usage


class Model:
    """A chat model that counts."""

    identity = "counting"

    def __init__(self, *, fails=False):
        self.asked = []
        self._fails = fails

    async def complete(self, asked):
        self.asked.append(asked)
        await asyncio.sleep(0.005)
        if self._fails:
            raise CallFailed("truncated", "cut")
        logprobs = (TokenLogprob("да", -0.5, (("нет", -1.0),)),)
        return ChatReply(f"reply {len(self.asked)}", "stop", "served", Usage(9, 2, 1), logprobs, latency_ms=4.5)


def with_cache(path, use, model=None, parser="1"):
    model = model or Model()

    async def run():
        cache = ReplyCache(path)
        try:
            return await use(CachedChat(model, cache=cache, parser=parser))
        finally:
            cache.close()

    return asyncio.run(run()), model


async def once(chat, asked=None):
    asked = asked or request()
    reply = await chat.complete(asked)
    await chat.confirm(asked, reply)
    return reply


def test_a_confirmed_reply_is_answered_from_the_file_whole_and_for_nothing(tmp_path):
    first, model = with_cache(tmp_path / "c.sqlite", once)
    second, _ = with_cache(tmp_path / "c.sqlite", once, model)
    assert len(model.asked) == 1
    assert second == replace(first, cached=True, attempts=0, cost_usd=0.0)


def test_a_reply_that_nobody_confirmed_is_forgotten(tmp_path):
    async def unconfirmed(chat):
        await chat.complete(request())
        return await chat.complete(request())

    reply, model = with_cache(tmp_path / "c.sqlite", unconfirmed)
    assert (reply.text, len(model.asked)) == ("reply 2", 2)


def test_a_failure_is_not_kept(tmp_path):
    model = Model(fails=True)
    for _ in range(2):
        with pytest.raises(CallFailed):
            with_cache(tmp_path / "c.sqlite", once, model)
    assert len(model.asked) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"temperature": 0.1},
        {"max_tokens": 51},
        {"seed": 1},
        {"sample_index": 1},
        {"top_logprobs": 1},
        {"schema": {"type": "object"}},
        {"schema_name": "other"},
        {"text": "Is it so? "},
    ],
)
def test_everything_that_decides_a_reply_is_part_of_its_key(tmp_path, other):
    async def two(chat):
        await once(chat)
        return await once(chat, request(**other))

    reply, _ = with_cache(tmp_path / "c.sqlite", two)
    assert reply.text == "reply 2"


def test_endpoint_model_and_parser_are_part_of_the_key():
    base = CachedChat(Model(), cache=None, parser="1").key(request())
    assert CachedChat(Model(), cache=None, parser="2").key(request()) != base
    other = Model()
    other.identity = "another"
    assert CachedChat(other, cache=None, parser="1").key(request()) != base
    assert CachedChat(Model(), cache=None, parser="1").key(request(purpose="for another reason")) == base


def test_the_same_asked_at_once_is_sent_once():
    async def run():
        chat = CachedChat(model, cache=None, parser="1")
        return await asyncio.gather(*(chat.complete(request()) for _ in range(5)))

    model = Model()
    replies = asyncio.run(run())
    assert len(model.asked) == 1
    assert [reply.cached for reply in replies] == [False, True, True, True, True]


def test_where_the_one_that_asks_is_cancelled_another_asks():
    async def run():
        chat = CachedChat(model, cache=None, parser="1")
        first = asyncio.create_task(chat.complete(request()))
        second = asyncio.create_task(chat.complete(request()))
        await asyncio.sleep(0.001)
        first.cancel()
        return await second

    model = Model()
    assert asyncio.run(run()).text == "reply 2"


def test_a_failure_is_shared_by_all_that_asked_at_once():
    async def run():
        chat = CachedChat(model, cache=None, parser="1")
        return await asyncio.gather(*(chat.complete(request()) for _ in range(3)), return_exceptions=True)

    model = Model(fails=True)
    assert [type(one) for one in asyncio.run(run())] == [CallFailed] * 3
    assert len(model.asked) == 1


def test_many_at_once_share_commits_and_all_are_there(tmp_path):
    path = tmp_path / "c.sqlite"

    async def many(chat):
        await asyncio.gather(*(once(chat, request(str(n))) for n in range(100)))

    with_cache(path, many)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM replies").fetchone() == (100,)
    connection.close()


def test_a_first_reply_stays_when_another_process_has_a_second(tmp_path):
    async def both():
        caches = [ReplyCache(tmp_path / "c.sqlite") for _ in range(2)]
        for cache, body in zip(caches, ("first", "second"), strict=True):
            await cache.keep("key", body)
        found = caches[1].find("key")
        for cache in caches:
            cache.close()
        return found

    assert asyncio.run(both()) == "first"


# Damage.


def test_a_changed_row_is_refused_and_stays(tmp_path):
    path = tmp_path / "c.sqlite"
    with_cache(path, once)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE replies SET body = replace(body, 'reply 1', 'reply 9')")
    connection.commit()
    connection.close()
    with pytest.raises(StorageFailed, match="damaged"):
        with_cache(path, once)


@pytest.mark.parametrize("content", [b"not a database, but long enough to be read as one" * 50, b"SQLite format 3\0"])
def test_a_file_of_another_kind_is_refused_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "c.sqlite"
    path.write_bytes(content)
    with pytest.raises(StorageFailed):
        ReplyCache(path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_refused(tmp_path):
    path = tmp_path / "c.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    connection.close()
    with pytest.raises(StorageFailed, match="no cache of replies"):
        ReplyCache(path)


def test_after_a_failed_write_nothing_more_is_sent(tmp_path, monkeypatch):
    def full(_rows):
        raise StorageFailed("the disk is full")

    async def use(chat):
        cache = chat._cache
        await once(chat, request("first"))
        monkeypatch.setattr(cache, "_write", full)
        ended = await asyncio.gather(*(once(chat, request(str(n))) for n in range(8)), return_exceptions=True)
        more = await asyncio.gather(*(once(chat, request(f"later {n}")) for n in range(8)), return_exceptions=True)
        return ended + more

    ended, model = with_cache(tmp_path / "c.sqlite", use)
    assert {type(one) for one in ended} == {StorageFailed}
    assert len(model.asked) == 1 + 8


KILLED = """
    import asyncio, sys
    from pathlib import Path
    from tests.models.asking import request
    from ragtriage.models.cache import CachedChat, ReplyCache
    from ragtriage.models.ports import ChatReply

    class Model:
        identity = "counting"
        async def complete(self, asked):
            return ChatReply(asked.messages[1].content, "stop")

    async def worker(chat, name):
        for n in range(100_000):
            asked = request(f"{name}-{n}")
            await chat.confirm(asked, await chat.complete(asked))
            print(f"{name}-{n}", flush=True)

    async def main():
        chat = CachedChat(Model(), cache=ReplyCache(Path(sys.argv[1])), parser="1")
        await asyncio.gather(*(worker(chat, name) for name in "abcd"))

    asyncio.run(main())
"""


def test_what_was_confirmed_survives_a_kill(tmp_path, root):
    path = tmp_path / "c.sqlite"
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(path)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    told = [child.stdout.readline().strip() for _ in range(60)]
    child.send_signal(signal.SIGKILL)
    told += child.stdout.read().split("\n")[:-1]
    child.wait()
    child.stdout.close()
    assert len(told) >= 60

    async def all_there(chat):
        for text in told:
            assert (await chat.complete(request(text))).cached

    _, model = with_cache(path, all_there)
    assert model.asked == []


def test_the_whole_stack_asks_the_endpoint_once_over_two_runs(tmp_path):
    endpoint = Endpoint()

    async def run():
        async with endpoint.serving():
            replies = []
            for _ in range(2):
                settings = ChatSettings(
                    model="openai/m", base_url=endpoint.base_url, parser="1", cache=tmp_path / "new" / "c.sqlite"
                )
                chat = open_chat(settings, clock=SystemClock())
                replies.append(await once(chat.model))
                await chat.close()
                counts = (chat.ledger.cached, chat.ledger.attempts, chat.ledger.cost_usd)
            return replies, counts

    replies, counts = asyncio.run(run())
    assert [reply.cached for reply in replies] == [False, True]
    assert endpoint.requests == 1
    assert counts == ({"": 1}, 0, 0.0)


def test_another_model_temperature_length_or_sample_never_takes_a_reply_of_this_one_b37(shared, tmp_path):
    calls = json.loads(shared("cases/inputs/B37.json").read_text(encoding="utf-8"))["calls"]
    endpoint = Endpoint()

    async def run():
        async with endpoint.serving():
            hits = []
            for call in calls:
                settings = ChatSettings(
                    model=f"openai/{call['model']}", parser="1", base_url=endpoint.base_url, cache=tmp_path / "c.sqlite"
                )
                opened = open_chat(settings, clock=SystemClock())
                given = {name: call[name] for name in ("temperature", "max_tokens", "sample_index") if name in call}
                hits.append((await once(opened.model, request(call["prompt"], **given))).cached)
                await opened.close()
            return hits

    assert asyncio.run(run()) == [False] * 5 + [True]
    assert endpoint.requests == 5


def test_a_reply_that_failed_or_was_cut_is_never_kept_b37(tmp_path):
    endpoint = Endpoint("length 400 ok")

    async def run():
        async with endpoint.serving():
            settings = ChatSettings(
                model="openai/judge-a", parser="1", base_url=endpoint.base_url, cache=tmp_path / "c.sqlite"
            )
            opened = open_chat(settings, clock=SystemClock())
            kinds = []
            for _ in range(2):
                with pytest.raises(CallFailed) as failed:
                    await once(opened.model)
                kinds.append(failed.value.kind)
            fresh, kept = await once(opened.model), await once(opened.model)
            await opened.close()
            return kinds, fresh.cached, kept.cached

    assert asyncio.run(run()) == (["truncated", "refused"], False, True)
    assert endpoint.requests == 3
