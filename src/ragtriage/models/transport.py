"""Requests to one endpoint over aiohttp: a bounded JSON reply or a failure in our words.

Nothing is followed to another address, no proxy and no cookie is taken from the surroundings, nothing is unpacked, and
nothing is sent a second time. How long a request may take is for whoever sends it to say.
"""

from __future__ import annotations

import asyncio
import importlib.util
from typing import TYPE_CHECKING

from ragtriage.core.clock import Clock
from ragtriage.core.errors import MissingExtra
from ragtriage.models.address import Address
from ragtriage.models.attempts import AttemptFailed, HttpReply
from ragtriage.models.retry_after import wait_asked_for_s

if TYPE_CHECKING:
    import aiohttp
    import yarl

__all__ = ["MAX_REPLY_BYTES", "Transport"]

MAX_REPLY_BYTES = 16 * 1024 * 1024
_KEEP_ALIVE_S = 4.0  # under the five seconds after which common servers close an idle connection
_GOOD = range(200, 300)
_MOVED = range(300, 400)
_BROKEN = range(500, 600)
_TOO_MANY, _UNAVAILABLE, _OVERLOADED = 429, 503, 529
_UNUSABLE = frozenset({401, 403, 404, 405})
_TRY_AGAIN = frozenset({408, 409, 425})
_SHOWN_CHARACTERS = 300


class Transport:
    """Sends JSON to the routes of one endpoint; raises MissingExtra where aiohttp is not installed."""

    def __init__(self, address: Address, *, clock: Clock, max_reply_bytes: int = MAX_REPLY_BYTES) -> None:
        if importlib.util.find_spec("aiohttp") is None:
            raise MissingExtra("aiohttp", extra="http", needed_for="a model behind an endpoint")
        self.address = address
        self._clock = clock
        self._max_bytes = max_reply_bytes
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._urls: dict[str, yarl.URL] = {}

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def post(self, route: str, body: bytes) -> HttpReply:
        """Send one request and read its whole reply, whatever its status; raises AttemptFailed."""
        import aiohttp  # noqa: PLC0415 - an extra

        session = self._open()
        started = self._clock.monotonic_ms()
        try:
            async with session.post(self._url(route), data=body, allow_redirects=False) as response:
                content = await self._read(response)
                took = self._clock.monotonic_ms() - started
                return HttpReply(response.status, tuple(response.headers.items()), self._decode(content), took)
        except aiohttp.ClientConnectorCertificateError as error:
            raise AttemptFailed("network", self._words(error), unusable=True, sent=False) from None
        except aiohttp.ClientConnectorError as error:
            message = self._words(error)
            raise AttemptFailed("network", message, again=True, unhealthy=True, unusable=True, sent=False) from None
        except (aiohttp.ClientResponseError, aiohttp.InvalidURL) as error:
            message = f"the reply is not HTTP as it should be: {self._words(error)}"
            raise AttemptFailed("bad_reply", message, again=True, unhealthy=True) from None
        except (aiohttp.ClientError, ConnectionError) as error:
            message = f"the connection broke: {self._words(error)}"
            raise AttemptFailed("network", message, again=True, unhealthy=True) from None

    def check(self, reply: HttpReply) -> None:
        """Raise AttemptFailed for every status that is no success, with how long the endpoint asks to wait."""
        status = reply.status
        if status in _GOOD:
            return
        said = f"{self.address.host} answered {status}"
        if status in _MOVED:
            said = f"{said}, a redirect, which is not followed"
            raise AttemptFailed("bad_reply", said, unhealthy=True, unusable=True, sent=False)
        said = f"{said}: {reply.text[:_SHOWN_CHARACTERS]}" if reply.text else said
        wait_s = wait_asked_for_s(reply.headers, now=self._clock.now())
        if status == _TOO_MANY or (status in {_UNAVAILABLE, _OVERLOADED} and wait_s is not None):
            raise AttemptFailed("rate_limited", said, again=True, overload=True, retry_after_s=wait_s, sent=False)
        if status in _BROKEN:
            busy = status in {_UNAVAILABLE, _OVERLOADED}
            raise AttemptFailed(
                "server", said, again=True, overload=busy, unhealthy=True, retry_after_s=wait_s, sent=False
            )
        if status in _TRY_AGAIN:
            raise AttemptFailed("server", said, again=True, retry_after_s=wait_s, sent=False)
        unusable = status in _UNUSABLE
        raise AttemptFailed("refused", said, unhealthy=unusable, unusable=unusable, sent=False)

    def _url(self, route: str) -> yarl.URL:
        import yarl  # noqa: PLC0415 - comes with aiohttp

        if route not in self._urls:
            self._urls[route] = yarl.URL(self.address.url(route))
        return self._urls[route]

    def _open(self) -> aiohttp.ClientSession:
        import aiohttp  # noqa: PLC0415 - an extra

        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            self._loop = loop
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_S),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                auto_decompress=False,
                headers={
                    "Accept": "application/json",
                    "Accept-Encoding": "identity",
                    "Content-Type": "application/json",
                    "User-Agent": "ragtriage",
                    **self.address.headers(),
                },
            )
        return self._session

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise AttemptFailed("bad_reply", "the reply is compressed, which was not asked for")
        pieces: list[bytes] = []
        size = 0
        while piece := await response.content.readany():
            size += len(piece)
            if size > self._max_bytes:
                raise AttemptFailed("bad_reply", f"the reply is larger than {self._max_bytes:,} bytes")
            pieces.append(piece)
        return b"".join(pieces)

    def _decode(self, content: bytes) -> str:
        try:
            return self.address.scrub(content.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise AttemptFailed("bad_reply", "the reply is not UTF-8", again=True) from None

    def _words(self, error: BaseException) -> str:
        return self.address.scrub(str(error) or type(error).__name__)[:_SHOWN_CHARACTERS]
