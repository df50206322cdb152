"""One request and what became of it: the words between the transport, the readers of replies and the retry owner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ragtriage.models.ports import FailureKind, Usage

__all__ = ["Answered", "AttemptFailed", "HttpReply"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A whole reply as it came, its text without our key."""

    status: int
    headers: Sequence[tuple[str, str]]
    text: str
    latency_ms: float


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """What one attempt brought, and the tokens that it is billed for; None where the endpoint counts none."""

    value: T
    usage: Usage | None
    latency_ms: float


class AttemptFailed(Exception):
    """One request that brought nothing usable.

    `again`: another request may fare better. `at_once`: without waiting, because the next request is another one.
    `overload`: the endpoint has too much to do. `unhealthy`: counts towards taking the endpoint for dead.
    `unusable`: no request of ours will ever be answered here (wrong address, key or model name).
    `billed`: tokens to pay for; None: unknown, the most is assumed. `sent`: False where nothing can have been billed.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        again: bool = False,
        at_once: bool = False,
        overload: bool = False,
        unhealthy: bool = False,
        unusable: bool = False,
        retry_after_s: float | None = None,
        sent: bool = True,
        billed: Usage | None = None,
    ) -> None:
        self.kind: FailureKind = kind
        self.message = message
        self.again = again
        self.at_once = at_once
        self.overload = overload
        self.unhealthy = unhealthy
        self.unusable = unusable
        self.retry_after_s = retry_after_s
        self.sent = sent
        self.billed = billed
        super().__init__(message)
