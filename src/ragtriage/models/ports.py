"""The ports to models: what is asked, what comes back, and how a single call fails.

A port has one method. Whoever asks sees no HTTP, no retry and no price; whoever answers sees no rubric. A call that
gave nothing usable raises CallFailed, a failure of that one judgement; JudgeUnavailable and BudgetReached (both in
`core.errors`) end the whole run, because no later call would fare better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from ragtriage.core.errors import BudgetReached, JudgeUnavailable, RagtriageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "BudgetReached",
    "CallFailed",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "Embedder",
    "Entailment",
    "EntailmentScores",
    "FailureKind",
    "JudgeUnavailable",
    "KeepingChatModel",
    "Message",
    "Reranker",
    "Role",
    "TokenLogprob",
    "Usage",
    "Vector",
]

Role: TypeAlias = Literal["system", "user", "assistant"]
Vector: TypeAlias = "NDArray[np.float32]"
FailureKind: TypeAlias = Literal["rate_limited", "timeout", "server", "refused", "truncated", "bad_reply", "network"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """Everything that decides a reply, but the model: equal requests may be answered from the cache.

    `schema`: JSON schema of the wanted object, None for free text; `schema_name` names it for the endpoint.
    `max_tokens`: the most the reply may hold; it is also what the budget reserves. `sample_index` tells repeats of one
    question apart (self-consistency, stability). `purpose` says what the call is for in reports and recordings
    ("claim_support"); it is no part of the request's identity.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    schema_name: str = "reply"
    temperature: float = 0.0
    max_tokens: int = 1024
    seed: int | None = None
    top_logprobs: int | None = None
    sample_index: int = 0
    purpose: str = field(default="", compare=False)
    key: str = field(default="", init=False, repr=False, compare=False)
    """The hash of all that decides the reply, filled in by `wire.request_key` when it is first asked for."""
    written: tuple[str, ...] = field(default=(), init=False, repr=False, compare=False)
    """The messages' texts as JSON strings, filled in by `wire`, which needs them for the hash and for the body."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them; `cached_tokens` are those of the input that it had in its own cache."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """One token of a reply, its log probability, and the likeliest tokens at its place, likeliest first."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A finished reply: its text as it came, never empty, its finish reason always `stop`.

    `served_model`: the name that the endpoint says it used, None where it says none. `usage` is None where the
    endpoint counts nothing. `logprobs`: one a token, None where not asked or not offered. `cached`: from our own cache
    or a recording, so nothing was paid now. `latency_ms`: of the attempt that succeeded. `attempts`: requests sent.
    `cost_usd`: of all attempts, None where the price is unknown.
    """

    text: str
    finish_reason: str
    served_model: str | None = None
    usage: Usage | None = None
    logprobs: tuple[TokenLogprob, ...] | None = None
    cached: bool = False
    latency_ms: float = 0.0
    attempts: int = 1
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class EntailmentScores:
    """How far a premise says a hypothesis: three probabilities that sum to 1."""

    entailed: float
    neutral: float
    contradicted: float


class CallFailed(RagtriageError):
    """One call gave nothing usable, after `attempts` requests; the judgement it was for is a failure.

    `kind`: rate_limited (429 to the end), timeout (deadline over), server (5xx), refused (a refusal or a content
    filter), truncated (cut at max_tokens), bad_reply (no reply of the protocol, or empty), network (connection broke).
    `cost_usd`: what its requests cost all the same, None where no price is known.
    """

    exit_code = 5

    def __init__(self, kind: FailureKind, message: str, *, attempts: int = 1, cost_usd: float | None = None) -> None:
        self.kind: FailureKind = kind
        self.message = message
        self.attempts = attempts
        self.cost_usd = cost_usd
        super().__init__(f"{message} ({kind}, attempts: {attempts})")


class ChatModel(Protocol):
    """A language model. `identity` names endpoint, model and fixed parameters; it goes into verdicts and bundle."""

    @property
    def identity(self) -> str:
        """What answers, without any secret."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request; raises CallFailed, JudgeUnavailable or BudgetReached."""
        ...


class KeepingChatModel(ChatModel, Protocol):
    """A language model that remembers replies, but only those which whoever asked has read and found valid."""

    async def confirm(self, request: ChatRequest, reply: ChatReply) -> None:
        """Say that a reply was parsed and is valid; returns when it is durable. Unconfirmed replies are forgotten."""
        ...


class Embedder(Protocol):
    """Texts as vectors of one length, float32; `identity` names the model that made them."""

    @property
    def identity(self) -> str:
        """What answers, without any secret."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order; raises CallFailed, JudgeUnavailable or BudgetReached."""
        ...


class Reranker(Protocol):
    """Scores texts against a query; higher is nearer, the scale is the model's own."""

    @property
    def identity(self) -> str:
        """What answers, without any secret."""
        ...

    async def rank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, in order of the texts; raises CallFailed, JudgeUnavailable or BudgetReached."""
        ...


class Entailment(Protocol):
    """Says whether a premise holds a hypothesis."""

    @property
    def identity(self) -> str:
        """What answers, without any secret."""
        ...

    async def entail(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentScores]:
        """Return the scores of each (premise, hypothesis), in order; raises CallFailed."""
        ...
