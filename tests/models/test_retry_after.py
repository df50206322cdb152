"""Every form of Retry-After is understood, and nothing is sent before its time."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from tests.fakes.endpoint import Endpoint
from tests.fakes.script import Step
from tests.models.asking import opened, request

from ragtriage.models.retry_after import wait_asked_for_s

NOW = datetime(2026, 10, 21, 7, 28, 0, tzinfo=UTC)

TWELVE = {
    "whole seconds": ([("Retry-After", "120")], 120.0),
    "with spaces": ([("retry-after", "  7 ")], 7.0),
    "zero": ([("Retry-After", "0")], 0.0),
    "a fraction": ([("Retry-After", "1.5")], 1.5),
    "milliseconds beside": ([("Retry-After", "1"), ("retry-after-ms", "1250")], 1.25),
    "two headers": ([("Retry-After", "2"), ("Retry-After", "9")], 9.0),
    "joined by a proxy": ([("Retry-After", "2, 9")], 9.0),
    "the date of today's HTTP": ([("Retry-After", "Wed, 21 Oct 2026 07:28:30 GMT")], 30.0),
    "the date of RFC 850": ([("Retry-After", "Wednesday, 21-Oct-26 07:28:30 GMT")], 30.0),
    "the date of asctime": ([("Retry-After", "Wed Oct 21 07:28:30 2026")], 30.0),
    "a date by a clock that is behind": (
        [("Date", "Wed, 21 Oct 2026 07:27:00 GMT"), ("Retry-After", "Wed, 21 Oct 2026 07:27:30 GMT")],
        30.0,
    ),
    "a date that is over": ([("Retry-After", "Tue, 20 Oct 2026 07:28:30 GMT")], 0.0),
}


@pytest.mark.parametrize(("headers", "wait_s"), TWELVE.values(), ids=TWELVE.keys())
def test_each_form_is_read(headers, wait_s):
    assert wait_asked_for_s(headers, now=NOW) == wait_s


@pytest.mark.parametrize("text", ["", "soon", "-5", "1e3", "nan", "inf", "٣", "0x10", "9" * 40, "Wed, 99 Foo 2026"])
def test_what_cannot_be_read_asks_for_nothing(text):
    assert wait_asked_for_s([("Retry-After", text)], now=NOW) is None


def test_a_date_counts_from_the_clock_that_makes_the_wait_longer():
    ahead = [("Date", "Wed, 21 Oct 2026 07:29:00 GMT"), ("Retry-After", "Wed, 21 Oct 2026 07:29:10 GMT")]
    assert wait_asked_for_s(ahead, now=NOW) == 70.0


def in_two_seconds():
    return format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)


@pytest.mark.parametrize(
    ("status", "headers", "least_s"),
    [
        ("429", lambda: {"Retry-After": "1"}, 1.0),
        ("503", lambda: {"Retry-After": "0.4"}, 0.4),
        ("529", lambda: {"retry-after-ms": "400"}, 0.4),
        ("429", lambda: {"Retry-After": in_two_seconds()}, 1.0),  # a date has whole seconds
    ],
    ids=["seconds", "fraction", "milliseconds", "date"],
)
def test_no_request_of_any_call_is_early(status, headers, least_s):
    endpoint = Endpoint([Step(status, headers())])

    async def run():
        async with opened(endpoint, {"concurrency": 4}) as chat:
            first = asyncio.create_task(chat.model.complete(request("first")))
            await asyncio.wait_for(endpoint.came.wait(), 5)
            await asyncio.sleep(0.1)  # the refusal has arrived by now
            others = [chat.model.complete(request(str(n))) for n in range(6)]
            await asyncio.gather(first, *others)

    asyncio.run(run())
    told, *later = [seen.at_s for seen in endpoint.seen]
    assert len(later) == 7
    assert min(later) - told >= least_s


def test_the_longest_wait_that_was_asked_for_holds():
    endpoint = Endpoint("429(Retry-After=0.6) 429(Retry-After=0.1)", latency_s=0.02)

    async def run():
        async with opened(endpoint, {"concurrency": 2}) as chat:
            await asyncio.gather(*(chat.model.complete(request(str(n))) for n in range(2)))

    asyncio.run(run())
    times = [seen.at_s for seen in endpoint.seen]
    assert min(times[2:]) - times[0] >= 0.6


def test_a_wait_beyond_the_deadline_fails_at_once_also_for_later_calls():
    endpoint = Endpoint("429(Retry-After=3600)")

    async def run():
        async with opened(endpoint, {"deadline_s": 5}) as chat, asyncio.timeout(2):
            first = await asyncio.gather(chat.model.complete(request("first")), return_exceptions=True)
            calls = (chat.model.complete(request(str(n))) for n in range(3))
            return first + await asyncio.gather(*calls, return_exceptions=True)

    failures = asyncio.run(run())
    assert [failure.kind for failure in failures] == ["rate_limited"] * 4
    assert [failure.attempts for failure in failures] == [1, 0, 0, 0]
    assert endpoint.requests == 1
