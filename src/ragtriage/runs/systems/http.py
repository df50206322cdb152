"""An HTTP endpoint as the system under test.

One deadline holds a whole call, whatever stalls. Only a refusal for load (429, 503 with Retry-After) is tried again,
by us alone and never before the endpoint said; every other status is a failure of its case. Nothing is followed to
another host, no proxy and no cookie is taken from the surroundings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit

from ragtriage.core.clock import Clock
from ragtriage.core.configuration import HttpSystem
from ragtriage.core.errors import MissingExtra
from ragtriage.core.files import parse_json
from ragtriage.core.records import Chunk
from ragtriage.core.system import Override, Question
from ragtriage.runs.asking import AskFailed, Reply
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.systems.template import body_of, fill, fill_url, read_fields, values_of

if TYPE_CHECKING:
    import aiohttp

__all__ = ["HttpEndpoint", "wait_asked_for_s"]

T = TypeVar("T")
MAX_ATTEMPTS = 3
MAX_REDIRECTS = 3
MAX_REPLY_BYTES = 32 * 1024 * 1024
_TOO_MANY, _UNAVAILABLE = 429, 503
_GOOD = range(200, 300)
_KEPT, _MOVED = frozenset({307, 308}), frozenset({301, 302, 303})
_FIRST_WAIT_S = 1.0
_SHOWN_CHARACTERS = 200


@dataclass
class _Gate:
    """What the endpoint said of its load, shared by all workers: not before when, and how many at once."""

    limit: int
    not_before_ms: float = 0.0
    allowed: int = 0
    busy: int = 0
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def __post_init__(self) -> None:
        self.allowed = self.limit

    async def enter(self, clock: Clock, *, limit_ms: float) -> None:
        """Wait for a place and for the time that the endpoint asked for, unless that is further off than the limit."""
        while True:
            async with self.changed:
                await self.changed.wait_for(lambda: self.busy < self.allowed)
                wait_ms = self.not_before_ms - clock.monotonic_ms()
                if wait_ms <= 0:
                    self.busy += 1
                    return
            if wait_ms > limit_ms:
                raise _rate_limited(f"an earlier question; it may be asked again in {wait_ms / 1000:.0f} s")
            await asyncio.sleep(wait_ms / 1000)

    async def leave(self, *, refused_for_ms: float | None = None, now_ms: float = 0.0) -> None:
        """Give the place back; a refusal halves the places, an answer gives one back."""
        async with self.changed:
            self.busy -= 1
            if refused_for_ms is None:
                self.allowed = min(self.limit, self.allowed + 1)
            else:
                self.allowed = max(1, self.allowed // 2)
                self.not_before_ms = max(self.not_before_ms, now_ms + refused_for_ms)
            self.changed.notify_all()


@dataclass(frozen=True, slots=True)
class _Response:
    status: int
    headers: Mapping[str, str]
    content: bytes
    duration_ms: float


class HttpEndpoint:
    """Asks an endpoint as `[system.http]` describes it; raises MissingExtra where aiohttp or jsonpath is absent."""

    takes_override = False

    def __init__(
        self,
        settings: HttpSystem,
        *,
        clock: Clock,
        timeout_s: float,
        concurrency: int,
        secrets: Secrets,
        listed: tuple[Chunk, ...] | None = None,
    ) -> None:
        _need_extra()
        self._settings = settings
        self._clock = clock
        self._timeout_s = timeout_s
        self._secrets = secrets
        self._listed = listed
        self._body = body_of(settings.body)
        self._headers = {name: secrets.reveal(value) for name, value in settings.headers.items()}
        self._url = secrets.reveal(settings.url)
        self._concurrency = concurrency
        self._gate: _Gate | None = None
        self._session: aiohttp.ClientSession | None = None

    def chunks(self) -> tuple[Chunk, ...] | None:
        """Return the chunks of `[system] chunks`."""
        return self._listed

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def ask(self, question: Question, *, override: Override | None = None) -> Reply:  # noqa: ARG002 - an endpoint takes none
        """Send the question and read the reply; raises AskFailed."""
        values = values_of(question)
        url, body = fill_url(self._url, values), fill(self._body, values)
        session, gate = self._open()
        deadline_ms: float | None = None  # waiting for the first turn is no waiting for an answer
        for attempt in range(1, MAX_ATTEMPTS + 1):
            await self._within(gate.enter(self._clock, limit_ms=self._left_ms(deadline_ms)), deadline_ms)
            refused_ms: float | None = None
            try:
                if deadline_ms is None:
                    deadline_ms = self._clock.monotonic_ms() + self._timeout_s * 1000
                response = await self._within(self._send(session, url, body), deadline_ms)
                refused_ms = self._refused_for_ms(response, attempt)
            finally:
                await gate.leave(refused_for_ms=refused_ms, now_ms=self._clock.monotonic_ms())
            if refused_ms is None:
                return self._read(response)
            if refused_ms > self._left_ms(deadline_ms):
                raise _rate_limited(f"with {response.status} for {refused_ms / 1000:g} s, longer than is left")
        raise _rate_limited(f"in each of {MAX_ATTEMPTS} attempts")

    def _left_ms(self, deadline_ms: float | None) -> float:
        return self._timeout_s * 1000 if deadline_ms is None else deadline_ms - self._clock.monotonic_ms()

    def _open(self) -> tuple[aiohttp.ClientSession, _Gate]:
        import aiohttp  # noqa: PLC0415 - an extra

        if self._session is None or self._gate is None:
            self._gate = _Gate(self._concurrency)
            self._session = aiohttp.ClientSession(
                # A kept connection may be closed by the other side just as it is used again, which is no fault of the
                # system; so each attempt has a connection of its own.
                connector=aiohttp.TCPConnector(limit=0, force_close=True),
                timeout=aiohttp.ClientTimeout(total=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
            )
            self._session._retry_connection = False  # noqa: SLF001 - aiohttp would send a GET or PUT a second time by itself
        return self._session, self._gate

    async def _within(self, work: Coroutine[Any, Any, T], deadline_ms: float | None) -> T:
        seconds = None if deadline_ms is None else max(0.0, self._left_ms(deadline_ms) / 1000)
        try:
            async with asyncio.timeout(seconds):
                return await work
        except TimeoutError as error:
            message = f"no answer within {self._timeout_s:g} s"
            waited = self._timeout_s * 1000
            raise AskFailed("TimeoutError", message, timed_out=True, duration_ms=waited) from error

    async def _send(self, session: aiohttp.ClientSession, url: str, body: Any) -> _Response:
        import aiohttp  # noqa: PLC0415 - an extra

        started, first = self._clock.monotonic_ms(), url
        try:
            for _ in range(MAX_REDIRECTS + 1):
                async with session.request(
                    self._settings.method,
                    url,
                    json=body if body is not None and self._settings.method != "GET" else None,
                    headers=self._headers,
                    allow_redirects=False,
                ) as response:
                    target = response.headers.get("Location")
                    if target is not None and (response.status in _KEPT or self._may_move(response.status)):
                        url = _same_origin(first, urljoin(url, target))
                        continue
                    content = await response.content.read(MAX_REPLY_BYTES + 1)
                    while len(content) <= MAX_REPLY_BYTES and (more := await response.content.read(MAX_REPLY_BYTES)):
                        content += more
                    took = self._clock.monotonic_ms() - started
                    return _Response(response.status, dict(response.headers), content, took)
        except aiohttp.ClientConnectorError as error:
            took = self._clock.monotonic_ms() - started
            raise AskFailed("ConnectionError", str(error), unreachable=True, duration_ms=took) from error
        except (aiohttp.ClientError, ConnectionError) as error:
            took = self._clock.monotonic_ms() - started
            raise AskFailed(type(error).__name__, str(error) or "the connection broke", duration_ms=took) from error
        raise AskFailed("TooManyRedirects", f"the endpoint redirected more than {MAX_REDIRECTS} times")

    def _may_move(self, status: int) -> bool:
        """Whether a redirect may be followed: other than 307 and 308 they turn a POST into an empty GET."""
        return status in _MOVED and self._settings.method == "GET"

    def _refused_for_ms(self, response: _Response, attempt: int) -> float | None:
        asked = wait_asked_for_s(response.headers, now=self._clock.now())
        if response.status == _TOO_MANY or (response.status == _UNAVAILABLE and asked is not None):
            return 1000 * (_FIRST_WAIT_S * 2 ** (attempt - 1) if asked is None else asked)
        return None

    def _read(self, response: _Response) -> Reply:
        took = response.duration_ms
        if len(response.content) > MAX_REPLY_BYTES:
            raise AskFailed("InvalidReply", f"the reply is larger than {MAX_REPLY_BYTES:,} bytes", duration_ms=took)
        try:
            text = self._secrets.scrub(response.content.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise AskFailed("InvalidReply", "the reply is not UTF-8", duration_ms=took) from error
        if response.status not in _GOOD:
            message = f"the endpoint answered {response.status}: {text[:_SHOWN_CHARACTERS]}"
            raise AskFailed(f"HTTP{response.status}", message, duration_ms=took)
        kind = next((v for k, v in response.headers.items() if k.lower() == "content-type"), "")
        if kind.startswith("text/plain") and not self._settings.fields:
            return Reply(text, took)
        try:
            document = parse_json(text)
        except ValueError as error:
            raise AskFailed("InvalidReply", f"the reply {error}", duration_ms=took) from error
        return Reply(read_fields(document, self._settings.fields) if self._settings.fields else document, took)


def wait_asked_for_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Return how many seconds a `Retry-After` asks to wait, a number or a date; None where it says nothing readable.

    A date counts from the endpoint's own `Date` or from our clock, whichever is later to wait for.

    >>> wait_asked_for_s({"Retry-After": "3"}, now=datetime(2026, 1, 1, tzinfo=UTC))
    3.0
    """
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    asked = lower.get("retry-after", "")
    if asked.replace(".", "", 1).isdecimal() and asked.isascii():
        return float(asked)
    until = _date(asked)
    if until is None:
        return None
    starts = [start for start in (_date(lower.get("date", "")), now) if start is not None]
    return max(0.0, *((until - start).total_seconds() for start in starts))


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)  # HTTP knows no other zone


def _rate_limited(how: str) -> AskFailed:
    return AskFailed("RateLimited", f"the endpoint refused {how}")


def _same_origin(first: str, target: str) -> str:
    if urlsplit(first)[:2] != urlsplit(target)[:2]:
        host = urlsplit(target).netloc.rpartition("@")[2]
        raise AskFailed("RedirectRefused", f"the endpoint redirects to another host, {host}; nothing is sent there")
    return target


def _need_extra() -> None:
    import importlib.util  # noqa: PLC0415 - asked once

    for module, package in (("aiohttp", "aiohttp"), ("jsonpath", "python-jsonpath")):
        if importlib.util.find_spec(module) is None:
            raise MissingExtra(package, extra="http", needed_for="an HTTP system under test")
