"""What the tests of this folder share: an open model against a fake endpoint, in one event loop."""

from __future__ import annotations

import asyncio
import contextlib

from tests.fakes.endpoint import Endpoint

from ragtriage.core.clock import SystemClock
from ragtriage.models.calling import CallPolicy
from ragtriage.models.opening import ChatSettings, open_chat
from ragtriage.models.ports import CallFailed, ChatRequest, Message

QUICK = {"first_wait_s": 0.005, "longest_wait_s": 0.02, "breaker_rest_s": 0.05}


def request(text="Is it so?", **fields):
    return ChatRequest((Message("system", "You judge."), Message("user", text)), **{"max_tokens": 50, **fields})


@contextlib.asynccontextmanager
async def opened(endpoint, policy=None, **settings):
    """Serve the endpoint and open a model on it; yields (endpoint, open model)."""
    async with endpoint.serving():
        given = {"parser": "1", "base_url": endpoint.base_url, "model": "openai/fake-1", **settings}
        chat = open_chat(ChatSettings(policy=CallPolicy(**{**QUICK, **(policy or {})}), **given), clock=SystemClock())
        try:
            yield chat
        finally:
            await chat.close()


def ask(script, policy=None, *, asked=None, endpoint=None, **settings):
    """Ask once; returns (reply or the error raised, the endpoint)."""
    endpoint = endpoint or Endpoint(script)

    async def run():
        async with opened(endpoint, policy, **settings) as chat:
            try:
                return await chat.model.complete(asked or request())
            except CallFailed as failure:
                return failure

    return asyncio.run(run()), endpoint
