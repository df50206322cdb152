"""A judge made of rules behind a real HTTP server that speaks the chat protocol."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.judge import FakeJudge

from ragtriage.models.ports import ChatRequest, Message


@dataclass
class Bill:
    """What a server billed: tokens by its own count, in dollars for a million; replies without a verdict too.

    `count`: how it counts the tokens of a text.
    """

    input_usd: float = 1.0
    output_usd: float = 10.0
    embedding_usd: float = 0.5
    count: Callable[[str], int] = lambda text: len(text.encode()) // 4 + 1
    input_tokens: int = 0
    output_tokens: int = 0
    embedding_tokens: int = 0

    @property
    def usd(self) -> float:
        paid = self.input_tokens * self.input_usd + self.output_tokens * self.output_usd
        return (paid + self.embedding_tokens * self.embedding_usd) / 1e6

    def chat(self, body: dict[str, Any], text: str) -> dict[str, int]:
        """Bill the messages, the schema and the reply."""
        schema = json.dumps(body.get("response_format", {}))
        read = self.count(schema) + sum(self.count(message["content"]) + 3 for message in body["messages"])
        written = self.count(text)
        self.input_tokens += read
        self.output_tokens += written
        return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}

    def vectors(self, texts: list[str]) -> dict[str, int]:
        read = sum(self.count(text) for text in texts)
        self.embedding_tokens += read
        return {"prompt_tokens": read, "total_tokens": read}


class _Server(ThreadingHTTPServer):
    """Lets many connect at once; the default queue of five drops some in silence, and their calls wait in vain."""

    request_queue_size = 256


@contextmanager
def serving(
    judge: FakeJudge,
    *,
    instead: Callable[[int], tuple[int, dict[str, Any]] | None] | None = None,
    bill: Bill | None = None,
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve a judge on the loopback; yields its base address and the bodies that came. `instead`: other replies.

    `bill`: what counts tokens; None: every call is said to have the same few.
    """
    bodies: list[dict[str, Any]] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(bodies)
                bodies.append(body)
            if self.path.endswith("/embeddings"):
                vectors = [[float(len(t)), 1.0 + t.count("a")] for t in body["input"]]
                data = [{"index": i, "embedding": v} for i, v in enumerate(vectors)]
                with lock:
                    usage = {} if bill is None else {"usage": bill.vectors(body["input"])}
                return self.send(200, {"data": data, "model": "fake-embed", **usage})
            other = instead(number) if instead is not None else None
            return self.send(*(other or (200, self.answer(body))))

        def answer(self, body: dict[str, Any]) -> dict[str, Any]:
            name = body["response_format"]["json_schema"]["name"]
            messages = tuple(Message(m["role"], m["content"]) for m in body["messages"])
            reply = asyncio.run(judge.complete(ChatRequest(messages, schema_name=name)))
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply.text}}
            usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
            if bill is not None:
                with lock:
                    usage = bill.chat(body, reply.text)
            return {"id": "x", "model": judge.served_model, "choices": [choice], "usage": usage}

        def send(self, status: int, value: dict[str, Any]) -> None:
            payload = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            pass

    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", bodies
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
