"""How much an endpoint is asked at once: more while it answers, half of it when it says that it is too much."""

from __future__ import annotations

import asyncio
from collections import deque

from ragtriage.core.clock import Clock

__all__ = ["Load"]


class Load:
    """Places for requests to one endpoint, taken in the order of asking; a second attempt goes before a first one.

    An overload halves the places, once for all the requests that were under way when it was said; answers give them
    back, one for as many answers as there are places. `not_before_ms` holds the latest time that the endpoint asked to
    be left alone until.
    """

    def __init__(self, *, limit: int, clock: Clock) -> None:
        self._limit = limit
        self._clock = clock
        self._allowed = float(limit)
        self._busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._halved_ms = float("-inf")
        self.not_before_ms = float("-inf")
        self.most_busy = 0

    @property
    def allowed(self) -> int:
        """Requests that may be under way now."""
        return int(self._allowed)

    def wait_ms(self) -> float:
        """Milliseconds until the endpoint may be asked again; 0 or less: now."""
        return self.not_before_ms - self._clock.monotonic_ms()

    async def enter(self, *, first: bool) -> None:
        """Wait for a place; give it back with `leave`."""
        if self._busy < self.allowed and not self._waiting:
            self._take()
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if first:
            self._waiting.append(turn)
        else:
            self._waiting.appendleft(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Give a place back."""
        self._busy -= 1
        self._wake()

    def answered(self) -> None:
        """Note an answer: there may be room for more."""
        self._allowed = min(float(self._limit), self._allowed + 1 / self._allowed)

    def overloaded(self, *, sent_ms: float, wait_ms: float | None) -> None:
        """Note that a request sent at `sent_ms` was too much, and how long the endpoint wants to be left alone."""
        now = self._clock.monotonic_ms()
        if sent_ms >= self._halved_ms:
            self._allowed = max(1.0, self._allowed / 2)
            self._halved_ms = now
        if wait_ms is not None:
            self.not_before_ms = max(self.not_before_ms, now + wait_ms)

    def _take(self) -> None:
        self._busy += 1
        self.most_busy = max(self.most_busy, self._busy)

    def _wake(self) -> None:
        while self._waiting and self._busy < self.allowed:
            turn = self._waiting.popleft()
            if not turn.done():
                self._take()
                turn.set_result(None)
