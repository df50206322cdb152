"""What the calls of a run came to: how many, how they ended, what they cost, and which models really answered."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ragtriage.models.ports import CallFailed, ChatReply, ChatRequest, FailureKind, KeepingChatModel

__all__ = ["CountedChat", "Ledger"]


@dataclass(slots=True)
class Ledger:
    """Counts by what the calls were for. `cost_usd` is None as soon as one call's price was unknown."""

    calls: Counter[str] = field(default_factory=Counter)
    cached: Counter[str] = field(default_factory=Counter)
    failed: Counter[tuple[str, FailureKind]] = field(default_factory=Counter)
    served: Counter[str] = field(default_factory=Counter)
    confirmed: int = 0
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    uncounted: int = 0
    _cost_usd: float = 0.0
    _unpriced: int = 0

    @property
    def retries(self) -> int:
        """Requests beyond the first of each call that was sent."""
        return self.attempts - self._sent

    @property
    def cost_usd(self) -> float | None:
        """What was paid for replies; None where the price of any was unknown."""
        return None if self._unpriced else self._cost_usd

    @property
    def served_models(self) -> tuple[str, ...]:
        """Names of the models that answered, as the endpoint gave them, sorted."""
        return tuple(sorted(self.served))

    @property
    def served_model_changed(self) -> bool:
        """Whether more than one model answered: the verdicts of this run are not of one judge."""
        return len(self.served) > 1

    _sent: int = 0

    def note_reply(self, request: ChatRequest, reply: ChatReply) -> None:
        """Count an answered call."""
        self.calls[request.purpose] += 1
        if reply.served_model is not None:
            self.served[reply.served_model] += 1
        if reply.cached:
            self.cached[request.purpose] += 1
            return
        self._note_attempts(reply.attempts)
        if reply.usage is None:
            self.uncounted += 1
        else:
            self.input_tokens += reply.usage.input_tokens
            self.output_tokens += reply.usage.output_tokens
        if reply.cost_usd is None:
            self._unpriced += 1
        else:
            self._cost_usd += reply.cost_usd

    def note_failure(self, request: ChatRequest, failure: CallFailed) -> None:
        """Count a call that brought nothing usable."""
        self.calls[request.purpose] += 1
        self.failed[request.purpose, failure.kind] += 1
        self._note_attempts(failure.attempts)

    def _note_attempts(self, attempts: int) -> None:
        self.attempts += attempts
        self._sent += 1 if attempts else 0


class CountedChat:
    """A chat model whose calls are counted in a ledger."""

    def __init__(self, model: KeepingChatModel, *, ledger: Ledger) -> None:
        self._model = model
        self._ledger = ledger

    @property
    def identity(self) -> str:
        """What answers, without any secret."""
        return self._model.identity

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask and count; raises what the other model raises."""
        try:
            reply = await self._model.complete(request)
        except CallFailed as failure:
            self._ledger.note_failure(request, failure)
            raise
        self._ledger.note_reply(request, reply)
        return reply

    async def confirm(self, request: ChatRequest, reply: ChatReply) -> None:
        """Pass the word on and count it."""
        await self._model.confirm(request, reply)
        self._ledger.confirmed += 1
