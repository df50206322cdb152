"""Ask a model and read its reply: what was answered before is not asked again, what came is kept before it is used."""

from __future__ import annotations

import asyncio
import functools
import math
import secrets as chance
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ragtriage.core.identity import canonical, hash_bytes
from ragtriage.core.verdicts import JudgeCall
from ragtriage.judges.asking import PARSER_VERSION, Ask, Prepared, Reading, prepare, read_reply
from ragtriage.judges.parsing import ReplyRejected
from ragtriage.models.ports import CallFailed, ChatModel, ChatReply, ChatRequest, TokenLogprob, Usage
from ragtriage.models.wire import request_key

__all__ = ["AskFailed", "Asker", "Keep", "expected_grade", "replayed", "request_identity", "together", "unanswered"]

T = TypeVar("T")

Keep = Callable[[JudgeCall], Awaitable[None]]
_TRIES = 2
_AGAIN = 7919  # moves the seed of a second try, so that nonce, ids and places are drawn anew


class AskFailed(Exception):
    """A question to a judge that brought no verdict; `kind` says in one word why, for counting."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        self.message = message
        super().__init__(f"{kind}: {message}")


async def together(*works: Coroutine[Any, Any, T]) -> list[T]:
    """Return what all bring, in order; raises the first error after all have ended."""
    if len(works) == 1:
        return [await works[0]]
    found = await asyncio.gather(*works, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if not isinstance(one, BaseException)]


def request_identity(model: str, rubric: str, request: ChatRequest) -> str:
    """Return the hash under which a reply is kept: all that decides it, the model, and the version of the parser.

    `rubric`: the hash of the rubric's file, which decides how the reply is read.
    """
    return hash_bytes(f'{_identity_start(model, rubric, PARSER_VERSION)},"{request_key(request)}"]'.encode())


@functools.lru_cache(maxsize=256)
def _identity_start(model: str, rubric: str, parser: int) -> str:
    """Return what stands before the request in the canonical JSON that is hashed."""
    return canonical([model, rubric, parser])[:-1]


@dataclass
class Asker:
    """One model as a judge. `known`: replies kept by an earlier attempt. `served`: models that the endpoint used.

    `retried`: rubrics of which a reply was no verdict.
    """

    model: ChatModel
    seed: int
    keep: Keep
    known: Mapping[str, JudgeCall] = field(default_factory=dict)
    served: set[str] = field(default_factory=set)
    retried: set[str] = field(default_factory=set)

    async def ask(self, ask: Ask) -> tuple[Reading, ...]:
        """Return what the judge says; a reply that is no verdict is asked for once more, drawn anew.

        Raises AskFailed where there is none. JudgeUnavailable and BudgetReached pass through.
        """
        return (await self.ask_whole(ask))[0]

    async def ask_whole(self, ask: Ask) -> tuple[tuple[Reading, ...], ChatReply]:
        """Return what the judge says and the reply that said it."""
        rejected: ReplyRejected | None = None
        for attempt in range(_TRIES):
            prepared = prepare(ask, seed=self.seed + attempt * _AGAIN)
            reply = await self._reply(prepared)
            try:
                found = read_reply(prepared, reply)
            except ReplyRejected as error:
                rejected = error
                self.retried.add(ask.rubric.name)
                continue
            await self._confirm(prepared.request, reply)
            return found, reply
        why = rejected or ReplyRejected("empty", "no reply")
        raise AskFailed(why.kind, why.message)

    async def ask_all(self, asks: Sequence[Ask]) -> list[tuple[Reading, ...]]:
        """Ask several questions at once; raises the first AskFailed after all have ended."""
        return await together(*(self.ask(one) for one in asks))

    async def _reply(self, prepared: Prepared) -> ChatReply:
        identity = request_identity(self.model.identity, prepared.ask.rubric.identity, prepared.request)
        kept = self.known.get(identity)
        if kept is not None:
            reply = replayed(kept)
        else:
            reply = await self._new(identity, prepared)
        if reply.served_model is not None:
            self.served.add(reply.served_model)
        return reply

    async def _new(self, identity: str, prepared: Prepared) -> ChatReply:
        """Ask the model, and keep what it said or what it cost to learn nothing."""
        model = self.model.identity
        try:
            reply = await self.model.complete(prepared.request)
        except CallFailed as error:
            if error.cost_usd:
                await self.keep(unanswered(model, prepared.request.purpose, error.kind, error.cost_usd))
            raise AskFailed(error.kind, str(error)) from error
        await self.keep(_call(identity, model, prepared.request, reply))
        return reply

    async def _confirm(self, request: ChatRequest, reply: ChatReply) -> None:
        """Tell a model that remembers replies that this one was valid."""
        confirm = getattr(self.model, "confirm", None)
        if confirm is not None:
            await confirm(request, reply)


def unanswered(model: str, purpose: str, why: str, cost_usd: float) -> JudgeCall:
    """Return the record of money that brought no reply to read; it answers no request, so its name is a new one."""
    return JudgeCall(
        request=f"{why} {chance.token_hex(16)}", judge=model, purpose=purpose, reply="", failed=why, cost_usd=cost_usd
    )


def _call(identity: str, model: str, request: ChatRequest, reply: ChatReply) -> JudgeCall:
    usage = reply.usage
    logprobs = None
    if reply.logprobs is not None:
        logprobs = tuple((one.token, one.top) for one in reply.logprobs)
    return JudgeCall(
        request=identity,
        judge=model,
        purpose=request.purpose,
        reply=reply.text,
        served_model=reply.served_model,
        input_tokens=None if usage is None else usage.input_tokens,
        output_tokens=None if usage is None else usage.output_tokens,
        cost_usd=reply.cost_usd,
        logprobs=logprobs,
    )


def replayed(call: JudgeCall) -> ChatReply:
    """Return a reply that was kept as if it came now."""
    usage = None
    if call.input_tokens is not None and call.output_tokens is not None:
        usage = Usage(call.input_tokens, call.output_tokens)
    logprobs = None
    if call.logprobs is not None:
        logprobs = tuple(TokenLogprob(token, dict(top).get(token, 0.0), top) for token, top in call.logprobs)
    return ChatReply(
        call.reply, "stop", served_model=call.served_model, usage=usage, logprobs=logprobs, cached=True, cost_usd=0.0
    )


def expected_grade(reply: ChatReply, *, grade: int, low: int, high: int) -> float | None:
    """Return the grade weighted by the probabilities of the grades at its token (G-Eval).

    None where the endpoint gave no probabilities, where the last digit token is not the grade that was read, or where
    the grades have less than half of the probability there.
    """
    for token in reversed(reply.logprobs or ()):
        text = token.token.strip(' \n\t"},')
        if not text.isdecimal():
            continue
        if text != str(grade):
            return None
        weights: dict[int, float] = {}
        for shown, logprob in token.top:
            plain = shown.strip(' \n\t"},')
            if plain.isdecimal() and low <= int(plain) <= high:
                weights[int(plain)] = weights.get(int(plain), 0.0) + math.exp(logprob)
        total = math.fsum(weights.values())
        return math.fsum(g * w for g, w in weights.items()) / total if total >= 0.5 else None  # noqa: PLR2004 - half
    return None
