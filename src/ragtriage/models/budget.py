"""Money as whole picodollars, and a budget that no call gets past: reserve the most, send, settle what it was."""

from __future__ import annotations

import asyncio
from collections import deque

from ragtriage.core.errors import BadInput, BudgetReached

__all__ = ["PICO", "Budget", "usd"]

PICO = 1_000_000_000_000


def usd(pico: int) -> float:
    """Return picodollars as dollars."""
    return pico / PICO


class Budget:
    """The most that all calls together may cost; `max_usd` None: only counts. `spent_usd`: what was spent before.

    A reservation that does not fit waits for calls under way to settle for less. Where none is under way it raises
    BudgetReached, and so does every later one: the run ends at the wall, not past it.
    """

    def __init__(self, *, max_usd: float | None, spent_usd: float = 0.0) -> None:
        if max_usd is not None and not 0 <= max_usd < 10**9:
            raise BadInput(f"a budget must be an amount of dollars of 0 or more. Got {max_usd!r} instead")
        self._limit = None if max_usd is None else round(max_usd * PICO)
        self._spent = round(spent_usd * PICO)
        self._reserved = 0
        self._reached: str | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self._limit is not None

    @property
    def spent_usd(self) -> float:
        """Dollars that are settled."""
        return usd(self._spent)

    async def reserve(self, most: int) -> None:
        """Set the most that a call may cost aside, in picodollars; raises BudgetReached."""
        while not self._fits(most):
            if self._reached is None and self._reserved == 0:
                left, limit = usd(max(0, (self._limit or 0) - self._spent)), usd(self._limit or 0)
                self._reached = (
                    f"the budget of {limit:g} USD is reached: {usd(self._spent):.6g} USD are spent, and "
                    f"the next call may cost {usd(most):.3g} USD where {left:.3g} USD are left"
                )
                self._wake()
            if self._reached is not None:
                raise BudgetReached(self._reached)
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self._reserved += most

    def settle(self, most: int, cost: int) -> None:
        """Put what a call did cost in the place of what was set aside for it."""
        self._reserved -= most
        self._spent += cost
        self._wake()

    def _fits(self, most: int) -> bool:
        if self._limit is None:
            return True
        return self._reached is None and self._spent + self._reserved + most <= self._limit

    def _wake(self) -> None:
        """Let all who wait look again: what does not fit for one may fit for another."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
