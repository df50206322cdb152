"""An estimate holds against the bill of a server that counts."""

from __future__ import annotations

import asyncio
import random

import pytest
from tests.fakes.endpoint import Endpoint
from tests.models.asking import opened, request

from ragtriage.models.estimate import Estimate, Expected, TokenRate, estimate, guess_tokens
from ragtriage.models.ports import Usage
from ragtriage.models.prices import Price

PRICE = Price(1.0, 10.0)  # what the fake endpoint bills
WORDS = ["the", "fee", "тариф", "комиссия", "өтінім", "percent", "of", "1 250,00", "переказ", "amount"]


def prompts(seed, count):
    rng = random.Random(seed)
    return [request(" ".join(rng.choices(WORDS, k=rng.randrange(50, 400))), max_tokens=200) for _ in range(count)]


def expected(request):
    """Expect what a judge says on average."""
    return Expected(request, "x" * 100)


def test_after_a_few_replies_the_estimate_is_within_five_percent_of_the_bill():
    def judge(body):
        return '{"verdicts": [' + ", ".join(["true"] * (len(body["messages"][1]["content"]) % 40)) + "]}"

    first, rest = prompts(1, 40), prompts(2, 200)
    endpoint = Endpoint(answer=judge)

    async def run():
        async with opened(endpoint, {"concurrency": 8}, price=PRICE) as chat:
            replies = await asyncio.gather(*(chat.model.complete(one) for one in first))
            before = endpoint.bill_usd
            told = TokenRate.learned((expected(one), reply.usage) for one, reply in zip(first, replies, strict=True))
            guessed = estimate(map(expected, rest), price=PRICE, rate=told)
            await asyncio.gather(*(chat.model.complete(one) for one in rest))
            return guessed, endpoint.bill_usd - before

    guessed, bill_usd = asyncio.run(run())
    assert guessed.cost_usd == pytest.approx(bill_usd, rel=0.05)
    assert guessed.calls == 200
    assert guessed.most_usd >= bill_usd


def test_without_a_price_there_are_tokens_and_no_cost():
    found = estimate([Expected(one, "x" * 42) for one in prompts(3, 2)], price=None)
    assert (found.calls, found.output_tokens, found.cost_usd, found.most_usd) == (2, 20, None, None)
    assert found.input_tokens > 100


def test_nothing_to_ask_costs_nothing():
    assert estimate([], price=PRICE, rate=TokenRate.learned([])) == Estimate(0, 0, 0, 0.0, 0.0)


def test_denser_scripts_have_more_tokens_a_character():
    assert guess_tokens("a" * 100) < guess_tokens("б" * 100) < guess_tokens("漢" * 100)


def test_a_rate_is_learned_for_each_kind_of_call_and_a_kind_never_seen_takes_the_whole():
    kinds = {"a": (2.0, 3.0), "b": (1.0, 0.5)}
    calls = {name: Expected(request("word " * 50, max_tokens=900, purpose=name), "reply " * 20) for name in "abc"}
    seen = []
    for name, (read, written) in kinds.items():
        one = calls[name]
        seen.append((one, Usage(round(one.read * read), round(one.written * written))))
    rate = TokenRate.learned(seen)
    assert [rate.reads(calls[n]) / calls[n].read for n in "abc"] == pytest.approx([2.0, 1.0, 1.5], rel=0.02)
    assert [rate.writes(calls[n]) / calls[n].written for n in "abc"] == pytest.approx([3.0, 0.5, 1.75], rel=0.02)


def test_no_reply_is_expected_to_be_longer_than_it_may():
    assert TokenRate(written_share=100.0).writes(Expected(request(max_tokens=50), "word " * 100)) == 50
