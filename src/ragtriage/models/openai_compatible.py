"""Models behind an OpenAI-compatible endpoint: hosted services, vLLM, llama.cpp, Ollama and others.

What an endpoint refuses by name (`response_format`, `seed`, `temperature`, `logprobs`, `max_tokens`) is left out of the
next request and of all later ones; the reply is read as strictly without it.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Sequence
from dataclasses import replace

from ragtriage.core.clock import Clock
from ragtriage.core.identity import canonical
from ragtriage.models.address import Address
from ragtriage.models.attempts import Answered, AttemptFailed, HttpReply
from ragtriage.models.budget import Budget
from ragtriage.models.calling import Caller, CallPolicy
from ragtriage.models.ports import CallFailed, ChatReply, ChatRequest, Vector
from ragtriage.models.prices import Price
from ragtriage.models.transport import Transport
from ragtriage.models.wire import chat_body, most_chat_tokens, read_chat
from ragtriage.models.wire_vectors import (
    embedding_body,
    most_text_tokens,
    read_embeddings,
    read_ranking,
    rerank_body,
)

__all__ = ["TEXTS_AT_ONCE", "OpenAIChat", "OpenAIEmbedder", "OpenAIReranker"]

_REFUSALS = frozenset({400, 415, 422, 501})
# A message may quote the request, and so any word of the texts under test: short names count only in quotation marks.
_NAMED = (
    ("response_format", re.compile(r"response_?format|json_?schema|structured.output|grammar|guided", re.IGNORECASE)),
    ("max_tokens", re.compile(r"max_completion_tokens")),
    ("temperature", re.compile(r"""['"`]temperature['"`\\]""")),
    ("logprobs", re.compile(r"""['"`](top_)?logprobs['"`\\]""")),
    ("seed", re.compile(r"""['"`]seed['"`\\]""")),
)
TEXTS_AT_ONCE = 64


class _Endpoint:
    """One model of one endpoint: transport, retry owner and identity."""

    def __init__(
        self,
        address: Address,
        *,
        model: str,
        policy: CallPolicy,
        clock: Clock,
        rng: random.Random,
        budget: Budget,
        price: Price | None,
    ) -> None:
        self.model = model
        self._transport = Transport(address, clock=clock)
        self.caller = Caller(policy, clock=clock, rng=rng, budget=budget, price=price, model=model)
        self._identity = canonical({"endpoint": address.identity, "model": model})

    @property
    def identity(self) -> str:
        """Endpoint and model, as JSON."""
        return self._identity

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def _post(self, route: str, body: bytes) -> HttpReply:
        reply = await self._transport.post(route, body)
        self._transport.check(reply)
        return reply


class OpenAIChat(_Endpoint):
    """A chat model; raises MissingExtra where aiohttp is absent, BadInput for a budget without a price."""

    refused: frozenset[str] = frozenset()
    """Parameters that the endpoint does not take, as far as it said so."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request; raises CallFailed, JudgeUnavailable or BudgetReached."""
        refused = self.refused
        body = chat_body(request, model=self.model, refused=refused)

        async def attempt() -> Answered[ChatReply]:
            nonlocal refused, body
            if refused != self.refused:  # since then this or another request was told what is not taken
                refused = self.refused
                body = chat_body(request, model=self.model, refused=refused)
            reply = await self._transport.post("chat/completions", body)
            if reply.status in _REFUSALS:
                self._learn(reply, body, refused)
            self._transport.check(reply)
            found, usage = read_chat(reply)
            return Answered(found, usage, reply.latency_ms)

        called = await self.caller.call(attempt, most=most_chat_tokens(request, body))
        return replace(called.value, attempts=called.attempts, cost_usd=called.cost_usd)

    def _learn(self, reply: HttpReply, body: bytes, refused: frozenset[str]) -> None:
        """Raise for another request without what the endpoint names, where the request held it."""
        for name, words in _NAMED:
            held = f'"{name}":'.encode() in body
            if name not in refused and held and words.search(reply.text):
                self.refused |= {name}
                raise AttemptFailed("refused", f"the endpoint refuses {name}", again=True, at_once=True, sent=False)


class OpenAIEmbedder(_Endpoint):
    """An embedding model; texts go out in batches. `paid_usd`: what its calls came to, failed ones too."""

    paid_usd: float = 0.0

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order; raises CallFailed, JudgeUnavailable or BudgetReached."""
        starts = range(0, len(texts), TEXTS_AT_ONCE)
        batches = [texts[start : start + TEXTS_AT_ONCE] for start in starts]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._embed(batch)) for batch in batches]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        vectors = [vector for task in tasks for vector in task.result()]
        if len({vector.size for vector in vectors}) > 1:
            raise CallFailed("bad_reply", "the vectors of one request differ in length")
        return vectors

    async def _embed(self, texts: Sequence[str]) -> list[Vector]:
        async def attempt() -> Answered[list[Vector]]:
            reply = await self._post("embeddings", body)
            vectors, usage = read_embeddings(reply, count=len(texts))
            return Answered(vectors, usage, reply.latency_ms)

        body = embedding_body(texts, model=self.model)
        try:
            called = await self.caller.call(attempt, most=most_text_tokens(texts))
        except CallFailed as failure:
            self.paid_usd += failure.cost_usd or 0.0
            raise
        self.paid_usd += called.cost_usd or 0.0
        return called.value


class OpenAIReranker(_Endpoint):
    """A reranking model, by the route `rerank` of Jina, Cohere, vLLM and llama.cpp."""

    async def rank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, in order of the texts; raises CallFailed, JudgeUnavailable or BudgetReached."""
        if not texts:
            return []

        async def attempt() -> Answered[list[float]]:
            reply = await self._post("rerank", body)
            scores, usage = read_ranking(reply, count=len(texts))
            return Answered(scores, usage, reply.latency_ms)

        body = rerank_body(query, texts, model=self.model)
        return (await self.caller.call(attempt, most=most_text_tokens(texts, query=query))).value
