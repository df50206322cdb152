"""One JSON request to an endpoint that the configuration names, with one deadline over all of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ragtriage.core.files import parse_json
from reference_rag.optional import need

__all__ = ["Endpoint", "EndpointFailed", "parsed"]

T = TypeVar("T")

_MAX_REPLY_BYTES = 16 * 1024 * 1024
_SHOWN = 300


class EndpointFailed(Exception):
    """The endpoint did not give what was asked for; `timed_out` where the deadline passed."""

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        self.timed_out = timed_out
        super().__init__(message)


class Endpoint:
    """`POST {base_url}{path}` with a bearer key; follows no redirect, so that the key goes where it was meant to.

    Works inside and outside a running event loop: every request has a loop and a thread of its own.
    """

    def __init__(self, base_url: str, path: str, *, key: str | None, timeout_s: float) -> None:
        need("aiohttp", package="aiohttp", extra="http", needed_for="a model behind an endpoint")
        self.url = base_url.rstrip("/") + path
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout_s = timeout_s

    def ask(self, body: dict[str, Any], read: Callable[[str, AsyncIterator[bytes]], Awaitable[T]]) -> T:
        """Send the body; `read` gets the reply's content type and its lines. Raises EndpointFailed."""
        with ThreadPoolExecutor(max_workers=1) as thread:
            return thread.submit(asyncio.run, self._asked(body, read)).result()

    async def _asked(self, body: dict[str, Any], read: Callable[[str, AsyncIterator[bytes]], Awaitable[T]]) -> T:
        import aiohttp  # noqa: PLC0415 - an extra

        deadline = aiohttp.ClientTimeout(total=self._timeout_s)
        content = json.dumps(body, ensure_ascii=False).encode()
        headers = {**self._headers, "Content-Type": "application/json"}
        try:
            async with (
                aiohttp.ClientSession(timeout=deadline, headers=headers) as session,
                session.post(self.url, data=content, allow_redirects=False) as reply,
            ):
                if reply.status != 200:  # noqa: PLR2004 - HTTP OK
                    said = (await reply.content.read(_SHOWN)).decode(errors="replace")
                    raise EndpointFailed(f"{self.url}: HTTP {reply.status}: {said}")
                return await read(reply.content_type, _lines(reply.content.iter_any()))
        except TimeoutError as error:
            raise EndpointFailed(f"{self.url}: no full reply in {self._timeout_s:g} s", timed_out=True) from error
        except aiohttp.ClientError as error:
            raise EndpointFailed(f"{self.url}: {error}") from error

    def ask_json(self, body: dict[str, Any]) -> Any:
        """Send the body and return the reply as strict JSON; raises EndpointFailed."""
        return self.ask(body, _whole)


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the lines of a reply as they come; raises EndpointFailed for one that does not end."""
    held, total = b"", 0
    async for piece in pieces:
        total += len(piece)
        if total > _MAX_REPLY_BYTES:
            raise EndpointFailed(f"the reply is larger than {_MAX_REPLY_BYTES:,} bytes")
        *whole, held = (held + piece).split(b"\n")
        for line in whole:
            yield line
    if held:
        yield held


async def _whole(_: str, lines: AsyncIterator[bytes]) -> Any:
    return parsed(b"\n".join([line async for line in lines]))


def parsed(content: bytes) -> Any:
    """Read strict JSON of a reply; raises EndpointFailed."""
    try:
        return parse_json(content.decode("utf-8"))
    except ValueError as error:
        raise EndpointFailed(f"the reply {error}" if "JSON" in str(error) else f"the reply: {error}") from error
