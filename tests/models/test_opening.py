"""A model is opened from settings; nothing is sent before it is asked."""

from __future__ import annotations

import asyncio

import pytest
from tests.fakes.endpoint import Endpoint
from tests.models.asking import request

from ragtriage.core.clock import SystemClock
from ragtriage.core.errors import BadInput, BudgetReached, MissingExtra, UnknownName
from ragtriage.models import transport
from ragtriage.models.budget import Budget
from ragtriage.models.opening import ChatSettings, open_chat, split_model
from ragtriage.models.prices import Price


def test_opening_sends_nothing():
    endpoint = Endpoint()

    async def run():
        async with endpoint.serving():
            settings = ChatSettings(model="openai/x", base_url=endpoint.base_url, parser="1")
            await open_chat(settings, clock=SystemClock()).close()

    asyncio.run(run())
    assert endpoint.seen == []


def test_two_models_may_share_a_budget():
    endpoint = Endpoint()

    async def run():
        async with endpoint.serving():
            budget = Budget(max_usd=0.001)
            price = Price(1.0, 10.0)
            opened = [
                open_chat(
                    ChatSettings(model=f"openai/{name}", base_url=endpoint.base_url, parser="1", price=price),
                    clock=SystemClock(),
                    budget=budget,
                )
                for name in ("one", "two")
            ]
            for number in range(100):
                try:
                    await opened[number % 2].model.complete(request(str(number)))
                except BudgetReached:
                    break
            for chat in opened:
                await chat.close()
            return budget.spent_usd

    spent_usd = asyncio.run(run())
    assert endpoint.requests < 100
    assert spent_usd == pytest.approx(endpoint.bill_usd)
    assert spent_usd <= 0.001


@pytest.mark.parametrize("name", ["opnai/x", "gpt-4o", "anthropic/x", ""])
def test_an_unknown_kind_of_model_is_refused(name):
    with pytest.raises(UnknownName, match="openai/NAME"):
        split_model(name)


def test_a_kind_without_a_name_is_refused():
    with pytest.raises(BadInput, match="openai/NAME"):
        split_model("openai/")


def test_a_listed_model_of_openai_has_its_price():
    opened = open_chat(
        ChatSettings(model="openai/gpt-4o-mini-2024-07-18", parser="1", max_cost_usd=1), clock=SystemClock()
    )
    assert opened.price is not None
    assert (opened.price.input_usd, opened.price.output_usd) == (0.15, 0.6)
    asyncio.run(opened.close())


def test_without_aiohttp_the_install_line_is_said(monkeypatch):
    monkeypatch.setattr(transport.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'ragtriage\[http\]'"):
        open_chat(ChatSettings(model="openai/x", parser="1"), clock=SystemClock())
