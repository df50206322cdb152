"""A scripted OpenAI-compatible endpoint: a real aiohttp server on loopback that misbehaves as it is told.

It counts requests, how many were under way at once, when each arrived by its own clock, and what it would bill.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import struct
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from tests.fakes.script import TEXT, Step, parse

Answer = Callable[[dict[str, Any]], str]
DRIP_S = 0.05


def tokens(text: str) -> int:
    """Count tokens as this endpoint bills them: four bytes each."""
    return max(1, len(text.encode()) // 4)


def say_ok(_body: dict[str, Any]) -> str:
    """Answer with one small object."""
    return '{"verdict": "supported"}'


@dataclass
class Seen:
    """One request: when it came, on which route, with which headers and body."""

    at_s: float
    route: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Endpoint:
    """The server; `answer` writes the right text of a reply, `script` says what becomes of it.

    `refuses`: parameters that are answered with 400. `bill_usd`: what requests that were answered come to, at
    `input_usd` and `output_usd` for a million tokens.
    """

    script: str | list[Step] = ""
    answer: Answer = say_ok
    model: str = "fake-1"
    latency_s: float = 0.0
    refuses: tuple[str, ...] = ()
    input_usd: float = 1.0
    output_usd: float = 10.0
    repeat_last: bool = False
    seen: list[Seen] = field(default_factory=list)
    answered: int = 0
    busy: int = 0
    most_busy: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    port: int = 0

    def __post_init__(self):
        self._steps = parse(self.script) if isinstance(self.script, str) else list(self.script)
        self._closing = asyncio.Event()
        self.came = asyncio.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> int:
        return len(self.seen)

    @property
    def bill_usd(self) -> float:
        return (self.input_tokens * self.input_usd + self.output_tokens * self.output_usd) / 1e6

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[Endpoint]:
        """Serve in the running event loop."""
        app = web.Application(client_max_size=64 << 20)
        for route, handler in (("chat/completions", self._chat), ("embeddings", self._embed), ("rerank", self._rank)):
            app.router.add_post(f"/v1/{route}", handler)
        app.router.add_route("*", "/trap", self._trapped)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05, handler_cancellation=True)
        await runner.setup()
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        await web.SockSite(runner, listener).start()
        try:
            yield self
        finally:
            self._closing.set()
            await runner.cleanup()

    @contextlib.contextmanager
    def in_thread(self) -> Iterator[Endpoint]:
        """Serve from a thread of its own, for tests of commands and of the network itself."""
        ready, loop = threading.Event(), asyncio.new_event_loop()
        stop = asyncio.Event()

        async def run() -> None:
            async with self.serving():
                ready.set()
                await stop.wait()

        thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
        thread.start()
        try:
            assert ready.wait(10)
            yield self
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join(10)
            loop.close()

    def _next(self) -> Step:
        if len(self._steps) == 1 and self.repeat_last:
            return self._steps[0]
        return self._steps.pop(0) if self._steps else Step()

    async def _trapped(self, request: web.Request) -> web.Response:
        self.seen.append(Seen(time.monotonic(), "trap", dict(request.headers), {}))
        return web.json_response({})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, "chat/completions", self._chat_reply)

    async def _embed(self, request: web.Request) -> web.StreamResponse:
        def reply(body: dict[str, Any], _step: Step) -> dict[str, Any]:
            rows = [
                {"object": "embedding", "index": n, "embedding": [float(len(text)), 1.0, -0.5]}
                for n, text in enumerate(body["input"])
            ]
            read = sum(tokens(text) for text in body["input"])
            return {"model": self.model, "data": rows[::-1], "usage": {"prompt_tokens": read, "total_tokens": read}}

        return await self._serve(request, "embeddings", reply)

    async def _rank(self, request: web.Request) -> web.StreamResponse:
        def reply(body: dict[str, Any], _step: Step) -> dict[str, Any]:
            words = set(body["query"].split())
            scores = [len(words & set(text.split())) - 0.5 for text in body["documents"]]
            rows = [{"index": n, "relevance_score": score} for n, score in enumerate(scores)]
            return {"model": self.model, "results": sorted(rows, key=lambda row: -row["relevance_score"])}

        return await self._serve(request, "rerank", reply)

    async def _serve(
        self, request: web.Request, route: str, reply: Callable[[dict[str, Any], Step], dict[str, Any]]
    ) -> web.StreamResponse:
        arrived = time.monotonic()
        body = await request.json()
        self.seen.append(Seen(arrived, route, dict(request.headers), body))
        self.came.set()
        step = self._next()
        self.busy += 1
        self.most_busy = max(self.most_busy, self.busy)
        try:
            await self._sleep(self.latency_s)
            for name in self.refuses:
                if name in body:
                    message = f"Unsupported parameter: '{name}' is not supported with this model."
                    return web.json_response({"error": {"message": message, "param": name}}, status=400)
            if step.name.isdecimal():
                return self._status(step)
            document = reply(body, step)
            self._bill(document.get("usage") or {})
            response = await self._broken(request, step, document)
            self.answered += 1
            return response
        finally:
            self.busy -= 1

    def _bill(self, usage: dict[str, Any]) -> None:
        read, written = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
        if type(read) is int and type(written) is int:
            self.input_tokens += read
            self.output_tokens += written

    def _status(self, step: Step) -> web.Response:
        headers = {name: value for name, value in step.settings.items() if name != "say"}
        said = step.settings.get("say", "scripted")
        return web.json_response({"error": {"message": said}}, status=int(step.name), headers=headers)

    def _chat_reply(self, body: dict[str, Any], step: Step) -> dict[str, Any]:
        text = self.answer(body)
        if step.name in TEXT:
            text = altered(text, step.name, body)
        message: dict[str, Any] = {"role": "assistant", "content": text}
        reason = {"length": "length", "content_filter": "content_filter", "tool_calls": "tool_calls"}.get(
            step.name, "stop"
        )
        match step.name:
            case "refusal":
                message |= {"content": None, "refusal": "I cannot help with that."}
            case "empty":
                message["content"] = " \n"
            case "null":
                message["content"] = None
            case "length":
                message["content"] = text[: len(text) // 2]
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
        if body.get("logprobs"):
            token = {"token": text[:3], "logprob": -0.25, "top_logprobs": [{"token": text[:3], "logprob": -0.25}]}
            choice["logprobs"] = {"content": [token]}
        read = sum(tokens(message["content"]) for message in body["messages"])
        written = tokens(message["content"] or "")
        usage: Any = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        if step.name == "bad_usage":
            usage = {"prompt_tokens": True, "completion_tokens": "many"}
        return {
            "id": "x",
            "object": "chat.completion",
            "model": step.settings.get("name", "fake-2") if step.name == "model" else self.model,
            "choices": {"no_choice": [], "two_choices": [choice, choice]}.get(step.name, [choice]),
            "usage": None if step.name == "no_usage" else usage,
        }

    async def _broken(self, request: web.Request, step: Step, document: dict[str, Any]) -> web.StreamResponse:
        """Send a reply, or what a broken server sends in its place."""
        content = json.dumps(document).encode()
        match step.name:
            case "stall":
                await self._sleep(3600)
            case "stall_body":
                await self._raw(request, content[:1], promised=len(content))
                await self._sleep(3600)
            case "drip":
                await self._raw(request, b"", promised=len(content))
                for byte in content:
                    request.transport.write(bytes([byte]))
                    await self._sleep(DRIP_S)
            case "cut":
                await self._raw(request, content[: len(content) // 2], promised=len(content))
                request.transport.close()
            case "rst":
                linger = struct.pack("ii", 1, 0)
                request.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                request.transport.abort()
            case "never_close":
                await self._raw(request, content, promised=None)
                await self._sleep(3600)
            case "redirect":
                target = step.settings.get("to", f"http://127.0.0.1:{self.port}/trap")
                return web.Response(status=307, headers={"Location": target})
            case "huge":
                return web.Response(
                    body=b'{"choices": "' + b"x" * (int(step.settings.get("bytes", "20000000"))) + b'"}'
                )
            case "gzip":
                return web.Response(body=b"\x1f\x8b\x08", headers={"Content-Encoding": "gzip"})
            case "html":
                return web.Response(text="<html>Bad gateway</html>", content_type="text/html")
            case "latin1":
                return web.Response(body=b'{"caf\xe9": 1}')
            case "badjson":
                return web.Response(body=content[: len(content) // 2])
            case "error200":
                return web.json_response({"error": {"message": "upstream failed", "code": 502}})
        return web.Response(body=content, content_type="application/json")

    async def _raw(self, request: web.Request, content: bytes, *, promised: int | None) -> None:
        length = b"Connection: close\r\n" if promised is None else f"Content-Length: {promised}\r\n".encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + length + b"\r\n"
        request.transport.write(head + content)
        await asyncio.sleep(0)

    async def _sleep(self, seconds: float) -> None:
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), seconds)


def altered(text: str, how: str, body: dict[str, Any]) -> str:
    """Spoil the right text of a reply as a bad judge would."""
    match how:
        case "wrong_ids":
            return re.sub(r'("(?:claim_)?id": ?")[^"]*"', r'\1never-given"', text)
        case "two_objects":
            return f"{text}\n{_contrary(text)}"
        case "twice":
            return f"{text}\n{text}"
        case "think":
            return f"<think>At first sight {_contrary(text)} but no.</think>\n{text}"
        case "think_only":
            return f"<think>{text}"
        case "fenced":
            return f"Here is my verdict:\n```json\n{text}\n```\n"
        case "prose":
            return f"Sure! {text} I hope that helps."
        case "nan":
            return re.sub(r"(?<=[:\[,] )-?\d+(\.\d+)?|(?<=: )\"[^\"]*\"", "NaN", text, count=1)
        case "bool":
            return re.sub(r"(?<=[:\[,] )-?\d+(\.\d+)?", "true", text, count=1)
        case "half":
            return text[: len(text) // 2]
        case "obeys":
            asked = "\n".join(message["content"] for message in body["messages"])
            planted = re.findall(r"(?:answer|reply|output|respond)[^{]*(\{.*?\})", asked, re.IGNORECASE | re.DOTALL)
            return planted[-1] if planted else text
    raise ValueError(how)


def _contrary(text: str) -> str:
    swaps = {"supported": "contradicted", "contradicted": "supported", "not_in_context": "supported"}
    return re.sub(r'"(supported|contradicted|not_in_context)"', lambda found: f'"{swaps[found[1]]}"', text)
