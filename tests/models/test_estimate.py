"""An estimate holds against the bill of a server that counts."""

from __future__ import annotations

import asyncio
import random

import pytest
from tests.fakes.endpoint import Endpoint
from tests.models.asking import opened, request

from ragtriage.models.estimate import Estimate, TokenRate, estimate, guess_tokens
from ragtriage.models.prices import Price

PRICE = Price(1.0, 10.0)  # what the fake endpoint bills
WORDS = ["the", "fee", "тариф", "комиссия", "өтінім", "percent", "of", "1 250,00", "переказ", "amount"]


def prompts(seed, count):
    rng = random.Random(seed)
    return [request(" ".join(rng.choices(WORDS, k=rng.randrange(50, 400))), max_tokens=200) for _ in range(count)]


def test_after_a_few_replies_the_estimate_is_within_five_percent_of_the_bill():
    def judge(body):
        return '{"verdicts": [' + ", ".join(["true"] * (len(body["messages"][1]["content"]) % 40)) + "]}"

    first, rest = prompts(1, 40), prompts(2, 200)
    endpoint = Endpoint(answer=judge)

    async def run():
        async with opened(endpoint, {"concurrency": 8}, price=PRICE) as chat:
            replies = await asyncio.gather(*(chat.model.complete(one) for one in first))
            before = endpoint.bill_usd
            told = TokenRate.learned((one, reply.usage) for one, reply in zip(first, replies, strict=True))
            guessed = estimate(rest, price=PRICE, rate=told)
            await asyncio.gather(*(chat.model.complete(one) for one in rest))
            return guessed, endpoint.bill_usd - before

    guessed, bill_usd = asyncio.run(run())
    assert guessed.cost_usd == pytest.approx(bill_usd, rel=0.05)
    assert guessed.calls == 200
    assert guessed.most_usd >= bill_usd


def test_without_a_price_there_are_tokens_and_no_cost():
    found = estimate(prompts(3, 2), price=None, reply_tokens=10)
    assert (found.calls, found.output_tokens, found.cost_usd, found.most_usd) == (2, 20, None, None)
    assert found.input_tokens > 100


def test_nothing_to_ask_costs_nothing():
    assert estimate([], price=PRICE, rate=TokenRate.learned([])) == Estimate(0, 0, 0, 0.0, 0.0)


def test_denser_scripts_have_more_tokens_a_character():
    assert guess_tokens("a" * 100) < guess_tokens("б" * 100) < guess_tokens("漢" * 100)
