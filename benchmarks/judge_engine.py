"""What the engine for model calls costs beside the model: wall time against the ideal, CPU time a call.

A server of fixed latency runs in a process of its own. Each case makes two calls, the second with what the first said,
as faithfulness does. The bare client runs as many cases at once as calls may be under way; the engine, which holds the
calls back itself, runs twice as many, so that a case that reads or stores a reply keeps no place empty. The ideal is
calls x latency / calls at once. Prints a line for a bare aiohttp client, for the engine, and for the engine with its
cache on the disk, where every reply is durable before it is used.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import aiohttp

from ragtriage.core.clock import SystemClock
from ragtriage.models.calling import CallPolicy
from ragtriage.models.opening import ChatSettings, open_chat
from ragtriage.models.ports import ChatRequest, KeepingChatModel, Message

CALLS_A_CASE = 2
CASES_A_PLACE = 2
CONTEXT = "The tariff applies from the first day of the month. " * 90
SCHEMA = {
    "type": "object",
    "properties": {"statements": {"type": "array", "items": {"type": "string"}}},
    "required": ["statements"],
    "additionalProperties": False,
}
REPLY = json.dumps({"statements": ["a is b", "c is d", "e is f"]})


class _Server(asyncio.Protocol):
    """HTTP for one client: answers each whole request a fixed time after its last byte."""

    def __init__(self, latency_s: float, content: bytes) -> None:
        self._latency_s = latency_s
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
        self._answer = head + str(len(content)).encode() + b"\r\n\r\n" + content
        self._read = b""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        while True:
            head, found, body = self._read.partition(b"\r\n\r\n")
            if not found:
                return
            length = next(
                int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
            )
            if len(body) < length:
                return
            self._read = body[length:]
            asyncio.get_running_loop().call_later(self._latency_s, self._transport.write, self._answer)


def serve(latency_s: float, pipe: Connection) -> None:
    """Serve until the process is ended; sends the port first."""

    async def run() -> None:
        message = {"role": "assistant", "content": REPLY}
        document = {
            "model": "bench",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1200, "completion_tokens": 20, "total_tokens": 1220},
        }
        content = json.dumps(document).encode()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Server(latency_s, content), "127.0.0.1", 0, backlog=512)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def _request(case: int, said: str) -> ChatRequest:
    rules = Message("system", "Break the answer into statements as JSON.")
    asked = Message("user", f"Case {case}. {CONTEXT} {said}")
    return ChatRequest((rules, asked), schema=SCHEMA, schema_name="statements", max_tokens=512, purpose="bench")


async def _cases(count: int, at_once: int, call: Callable[[int, str], Awaitable[str]]) -> tuple[float, float]:
    """Run all cases; returns wall and CPU seconds."""
    places = asyncio.Semaphore(at_once)

    async def one(case: int) -> None:
        async with places:
            said = ""
            for _ in range(CALLS_A_CASE):
                said = await call(case, said)

    await asyncio.gather(*(call(-1 - n, "") for n in range(at_once)))  # connections are open before the clock starts
    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(one(case) for case in range(count)))
    return time.perf_counter() - wall, time.process_time() - cpu


async def bare(port: int, count: int, at_once: int) -> tuple[float, float]:
    """Measure aiohttp alone."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=at_once)) as session:

        async def call(case: int, said: str) -> str:
            messages = [{"role": m.role, "content": m.content} for m in _request(case, said).messages]
            async with session.post(
                f"http://127.0.0.1:{port}/v1/chat/completions", json={"messages": messages}
            ) as reply:
                document = await reply.json()
            return str(json.loads(document["choices"][0]["message"]["content"])["statements"])

        return await _cases(count, at_once, call)


async def engine(port: int, count: int, at_once: int, cache: Path | None) -> tuple[float, float]:
    """Measure everything between a judge and the wire: request, retry owner, budget, ledger and, with a file, cache."""
    settings = ChatSettings(
        model="openai/bench",
        base_url=f"http://127.0.0.1:{port}/v1",
        parser="bench",
        cache=cache,
        policy=CallPolicy(concurrency=at_once),
        seed=random.randrange(1000),  # noqa: S311 - spreads waits
    )
    opened = open_chat(settings, clock=SystemClock())
    model: KeepingChatModel = opened.model

    async def call(case: int, said: str) -> str:
        request = _request(case, said)
        reply = await model.complete(request)
        statements = json.loads(reply.text)["statements"]
        await model.confirm(request, reply)
        return str(statements)

    try:
        return await _cases(count, at_once * CASES_A_PLACE, call)
    finally:
        await opened.close()


def main() -> None:
    """Print one line a client and number of calls at once."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=500)
    options.add_argument("--latency-ms", type=float, default=50.0)
    options.add_argument("--at-once", type=int, nargs="+", default=[16, 64])
    options.add_argument("--rounds", type=int, default=3)
    asked = options.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve, args=(asked.latency_ms / 1000, theirs), daemon=True
    )
    server.start()
    port = ours.recv()
    calls = asked.cases * CALLS_A_CASE
    print("client         at once  wall s  ideal s  ratio (median, range)  CPU ms a call (median)")
    for at_once in asked.at_once:
        ideal = calls * asked.latency_ms / 1000 / at_once
        rows: dict[str, list[tuple[float, float]]] = {"bare aiohttp": [], "engine": [], "engine + cache": []}
        for _ in range(asked.rounds):
            rows["bare aiohttp"].append(asyncio.run(bare(port, asked.cases, at_once)))
            rows["engine"].append(asyncio.run(engine(port, asked.cases, at_once, None)))
            with tempfile.TemporaryDirectory() as folder:
                cache = Path(folder) / "replies.sqlite"
                rows["engine + cache"].append(asyncio.run(engine(port, asked.cases, at_once, cache)))
        for name, measured in rows.items():
            walls = sorted(wall for wall, _ in measured)
            cpu = statistics.median(cpu for _, cpu in measured)
            wall = statistics.median(walls)
            span = f"{wall / ideal:.3f} ({walls[0] / ideal:.3f}-{walls[-1] / ideal:.3f})"
            print(f"{name:14} {at_once:7}  {wall:6.2f}  {ideal:7.3f}  {span:21}  {cpu / calls * 1000:.2f}")
    server.terminate()


if __name__ == "__main__":
    main()
