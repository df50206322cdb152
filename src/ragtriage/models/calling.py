"""The one owner of retries: every request to an endpoint goes through its Caller, which alone sends anything twice.

A call has one deadline from its first request on, whatever stalls; each request has a shorter one, so that a hanging
request leaves time for another. Before a request is sent it has a place (`load`), the endpoint may be asked (`load`,
`breaker`), and the most that it can cost is set aside (`budget`).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ragtriage.core.clock import Clock
from ragtriage.core.errors import BadInput, JudgeUnavailable
from ragtriage.models.attempts import Answered, AttemptFailed
from ragtriage.models.breaker import Breaker
from ragtriage.models.budget import Budget, usd
from ragtriage.models.load import Load
from ragtriage.models.ports import CallFailed, Usage
from ragtriage.models.prices import Price

__all__ = ["CallPolicy", "Called", "Caller"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """How long, how often and how many at once.

    `deadline_s`: for a whole call, from its first request on. `attempt_timeout_s`: for each of its requests.
    `max_attempts`: requests a call, counted where they arrive. `concurrency`: requests under way at once.
    `first_wait_s`, `longest_wait_s`: the wait before attempt n is drawn evenly between 0 and first_wait_s x 2^(n-2), or
    longest_wait_s where that is less. `breaker_failures`, `breaker_rest_s`, `breaker_tries`: see Breaker.
    """

    deadline_s: float = 120.0
    attempt_timeout_s: float = 50.0
    max_attempts: int = 4
    concurrency: int = 8
    first_wait_s: float = 0.5
    longest_wait_s: float = 20.0
    breaker_failures: int = 10
    breaker_rest_s: float = 2.0
    breaker_tries: int = 3

    def __post_init__(self) -> None:
        """Refuse what could never send anything."""
        for name in ("deadline_s", "attempt_timeout_s", "first_wait_s", "longest_wait_s", "breaker_rest_s"):
            if not 0 < getattr(self, name) < 10**6:
                raise BadInput(f"{name!r} must be a number of seconds above 0. Got {getattr(self, name)!r} instead")
        for name in ("max_attempts", "concurrency", "breaker_failures", "breaker_tries"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name!r} must be a whole number of 1 or more. Got {getattr(self, name)!r} instead")


@dataclass(frozen=True, slots=True)
class Called(Generic[T]):
    """What a call brought, how many requests that took, and what all of them cost; None where no price is known."""

    value: T
    usage: Usage | None
    attempts: int
    latency_ms: float
    cost_usd: float | None


@dataclass(slots=True)
class _Progress:
    """One call under way: its requests so far, its deadline once there was one, and what it cost."""

    attempts: int = 0
    deadline_ms: float | None = None
    pico: int = 0
    failure: AttemptFailed | None = None


class Caller:
    """Sends the requests of all calls to one endpoint; `rng` decides the waits between attempts.

    Raises BadInput where a budget is set and no price is known.
    """

    def __init__(
        self, policy: CallPolicy, *, clock: Clock, rng: random.Random, budget: Budget, price: Price | None, model: str
    ) -> None:
        if budget.limited and price is None:
            raise BadInput(
                f"a budget needs a price, and none is known for {model!r}: give its price for a million input and "
                "output tokens (0 for a model of your own), or leave the budget out"
            )
        self.policy = policy
        self.load = Load(limit=policy.concurrency, clock=clock)
        self._clock = clock
        self._rng = rng
        self._budget = budget
        self._price = price
        self._breaker = Breaker(
            clock=clock,
            failures=policy.breaker_failures,
            rest_s=policy.breaker_rest_s,
            tries=policy.breaker_tries,
        )
        self._answered = False

    async def call(self, attempt: Callable[[], Awaitable[Answered[T]]], *, most: Usage) -> Called[T]:
        """Send requests until one is answered; `most`: the tokens that one request can be billed for at the worst.

        Raises CallFailed where none brought anything usable, JudgeUnavailable, BudgetReached.
        """
        progress = _Progress()
        while True:
            answer = await self._once(attempt, progress, most)
            if answer is not None:
                cost = None if self._price is None else usd(progress.pico)
                return Called(answer.value, answer.usage, progress.attempts, answer.latency_ms, cost)
            await self._before_another(progress)

    async def _once(
        self, attempt: Callable[[], Awaitable[Answered[T]]], progress: _Progress, most: Usage
    ) -> Answered[T] | None:
        """Send one request; returns None where it failed and says why in `progress`."""
        trying = await self._enter(progress)
        told = False
        try:
            pico = 0 if self._price is None else self._price.pico(most)
            await self._budget.reserve(pico)
            cost = pico  # whatever ends a request, all of it is assumed to be billed until more is known
            sent_ms = self._clock.monotonic_ms()
            try:
                result = await self._within(attempt, progress, sent_ms)
                cost = self._cost(result, pico)
            finally:
                self._budget.settle(pico, cost)
                progress.pico += cost
            self._note(result, sent_ms=sent_ms, trying=trying)
            told = True
        finally:
            if not told:
                self._breaker.dropped(trying=trying)
            self.load.leave()
        if isinstance(result, AttemptFailed):
            progress.failure = result
            return None
        return result

    async def _within(
        self, attempt: Callable[[], Awaitable[Answered[T]]], progress: _Progress, sent_ms: float
    ) -> Answered[T] | AttemptFailed:
        if progress.deadline_ms is None:
            progress.deadline_ms = sent_ms + self.policy.deadline_s * 1000
        left_s = (progress.deadline_ms - sent_ms) / 1000
        if left_s <= 0:
            return AttemptFailed("timeout", "the deadline passed before anything was sent", sent=False)
        progress.attempts += 1
        allowed_s = min(left_s, self.policy.attempt_timeout_s)
        try:
            async with asyncio.timeout(allowed_s):
                return await attempt()
        except TimeoutError:
            return AttemptFailed("timeout", f"no whole reply within {allowed_s:.3g} s", again=True, unhealthy=True)
        except AttemptFailed as failure:
            return failure

    def _cost(self, result: Answered[T] | AttemptFailed, pico: int) -> int:
        if self._price is None:
            return 0
        if isinstance(result, AttemptFailed):
            if result.billed is not None:
                return self._price.pico(result.billed)
            return pico if result.sent else 0
        return pico if result.usage is None else self._price.pico(result.usage)

    def _note(self, result: Answered[T] | AttemptFailed, *, sent_ms: float, trying: bool) -> None:
        if not isinstance(result, AttemptFailed):
            self._answered = True
            self.load.answered()
            self._breaker.answered()
            return
        wait_s = result.retry_after_s
        if result.overload:
            self.load.overloaded(sent_ms=sent_ms, wait_ms=None if wait_s is None else wait_s * 1000)
        if result.unhealthy:
            self._breaker.failed(result.message, trying=trying)
        elif result.overload:
            self._breaker.dropped(trying=trying)
        else:
            self._breaker.answered()  # it refuses this request, and so it lives

    async def _enter(self, progress: _Progress) -> bool:
        """Wait for a place and until the endpoint may be asked; returns whether this request is the breaker's try."""
        if progress.deadline_ms is None:
            await self.load.enter(first=True)
        else:
            left_s = (progress.deadline_ms - self._clock.monotonic_ms()) / 1000
            try:
                async with asyncio.timeout(max(0.0, left_s)):
                    await self.load.enter(first=False)
            except TimeoutError:
                raise self._failed(progress) from None
        entered = False
        try:
            while True:
                wait_ms, trying = self.load.wait_ms(), False
                if wait_ms <= 0:
                    wait_ms, trying = self._breaker.ask()
                if wait_ms <= 0:
                    entered = True
                    return trying
                if wait_ms > self._left_ms(progress):
                    raise self._failed(progress, wait_ms=wait_ms)
                await asyncio.sleep(wait_ms / 1000)
        finally:
            if not entered:
                self.load.leave()

    def _left_ms(self, progress: _Progress) -> float:
        if progress.deadline_ms is None:
            return self.policy.deadline_s * 1000
        return progress.deadline_ms - self._clock.monotonic_ms()

    async def _before_another(self, progress: _Progress) -> None:
        """Wait before the next request, or raise where there shall be none."""
        failure = progress.failure
        if failure is None or not failure.again or progress.attempts >= self.policy.max_attempts:
            raise self._failed(progress)
        if failure.at_once:
            return
        spread_s = min(self.policy.longest_wait_s, self.policy.first_wait_s * 2 ** (progress.attempts - 1))
        wait_s = self._rng.uniform(0.0, spread_s) + (failure.retry_after_s or 0.0)
        if wait_s * 1000 >= self._left_ms(progress):
            raise self._failed(progress, wait_ms=wait_s * 1000)
        await asyncio.sleep(wait_s)

    def _failed(self, progress: _Progress, *, wait_ms: float = 0.0) -> CallFailed | JudgeUnavailable:
        failure = progress.failure
        if failure is None:  # an earlier call was told to wait for longer than this one may take
            said = f"the endpoint may be asked again in {wait_ms / 1000:.0f} s, longer than a call may take"
            return CallFailed("rate_limited", said, attempts=0)
        if failure.unusable and not self._answered:
            return JudgeUnavailable(failure.message)
        late = ", and waiting for another attempt would pass the deadline" if wait_ms else ""
        cost = None if self._price is None else usd(progress.pico)
        return CallFailed(failure.kind, f"{failure.message}{late}", attempts=progress.attempts, cost_usd=cost)
