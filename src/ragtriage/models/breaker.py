"""When to take an endpoint for dead: after failures in a row it is left alone, then asked once, then given up."""

from __future__ import annotations

from ragtriage.core.clock import Clock
from ragtriage.core.errors import JudgeUnavailable

__all__ = ["Breaker"]

_POLL_MS = 50.0


class Breaker:
    """Counts failures in a row of one endpoint.

    After `failures` of them nothing is sent for `rest_s`; then one request tries, while the others wait. Where it fails
    too the rest doubles; after `tries` such failures the endpoint counts as dead: every call raises JudgeUnavailable.
    """

    def __init__(self, *, clock: Clock, failures: int = 10, rest_s: float = 2.0, tries: int = 3) -> None:
        self._clock = clock
        self._most = failures
        self._rest_ms = rest_s * 1000
        self._tries = tries
        self._in_a_row = 0
        self._failed_tries = 0
        self._open_until_ms: float | None = None
        self._trying = False
        self._last = ""

    def ask(self) -> tuple[float, bool]:
        """Return (milliseconds to wait before asking again, whether this request is the one that tries)."""
        if self._open_until_ms is None:
            return 0.0, False
        if self._failed_tries >= self._tries:
            raise JudgeUnavailable(
                f"the endpoint failed {self._in_a_row} times in a row, the last {self._tries} after rests: {self._last}"
            )
        wait_ms = self._open_until_ms - self._clock.monotonic_ms()
        if wait_ms > 0:
            return wait_ms, False
        if self._trying:
            return _POLL_MS, False
        self._trying = True
        return 0.0, True

    def answered(self) -> None:
        """Note an answer of the endpoint: it lives."""
        self._in_a_row = self._failed_tries = 0
        self._open_until_ms = None
        self._trying = False

    def failed(self, message: str, *, trying: bool) -> None:
        """Note a failure; `trying`: of the one request that tried."""
        self._in_a_row += 1
        self._last = message
        if trying:
            self._failed_tries += 1
        if trying or (self._open_until_ms is None and self._in_a_row >= self._most):
            self._trying = False
            self._open_until_ms = self._clock.monotonic_ms() + self._rest_ms * 2**self._failed_tries

    def dropped(self, *, trying: bool) -> None:
        """Note that a request ended without telling anything of the endpoint's health."""
        if trying:
            self._trying = False
