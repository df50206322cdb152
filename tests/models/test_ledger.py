"""The counts of a run: calls, retries, failures, tokens, cost, and which models answered."""

from __future__ import annotations

import asyncio

from tests.fakes.endpoint import Endpoint
from tests.models.asking import opened, request

from ragtriage.models.prices import Price


def counted(script, count, **settings):
    endpoint = Endpoint(script)

    async def run():
        async with opened(endpoint, {"concurrency": 1}, **settings) as chat:
            calls = (chat.model.complete(request(str(n), purpose=f"p{n % 2}")) for n in range(count))
            await asyncio.gather(*calls, return_exceptions=True)
            return chat.ledger

    return asyncio.run(run()), endpoint


def test_calls_retries_failures_and_tokens_are_counted():
    ledger, endpoint = counted("ok 500 ok length ok", 4, price=Price(1.0, 10.0))
    assert ledger.calls == {"p0": 2, "p1": 2}
    assert sum(ledger.failed.values()) == 1
    assert {kind for _, kind in ledger.failed} == {"truncated"}
    assert (ledger.attempts, ledger.retries) == (5, 1)
    assert endpoint.requests == 5
    assert ledger.output_tokens == 3 * 6


def test_a_cost_is_unknown_as_soon_as_one_price_is():
    assert counted("", 2)[0].cost_usd is None
    assert counted("", 2, price=Price(0.0, 0.0))[0].cost_usd == 0.0


def test_a_model_that_changes_midway_is_seen():
    ledger, _ = counted("ok*3 model(name=fake-2) ok", 5)
    assert ledger.served_models == ("fake-1", "fake-2")
    assert ledger.served == {"fake-1": 4, "fake-2": 1}
    assert ledger.served_model_changed
    assert not counted("", 3)[0].served_model_changed
