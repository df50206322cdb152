"""An HTTP endpoint as the system under test, against a real server on loopback."""

from __future__ import annotations

import asyncio
import json
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from ragtriage.core.clock import SystemClock
from ragtriage.core.configuration import HttpSystem
from ragtriage.core.records import Principal
from ragtriage.core.system import Question
from ragtriage.runs.asking import AskFailed, Reply, read_reply
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.systems.http import MAX_ATTEMPTS, HttpEndpoint, wait_asked_for_s

KEY = "canary-key-0123456789"
Respond = Callable[["Handler", int], None]


@dataclass
class Seen:
    """What a server saw."""

    at: list[float] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    together: int = 0
    most_together: int = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    respond: Respond
    seen: Seen
    lock: threading.Lock

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with self.lock:
            number = len(self.seen.at)
            self.seen.at.append(time.monotonic())
            self.seen.bodies.append(json.loads(body) if body else None)
            self.seen.headers.append(dict(self.headers))
            self.seen.paths.append(self.path)
            self.seen.together += 1
            self.seen.most_together = max(self.seen.most_together, self.seen.together)
        type(self).respond(self, number)

    do_GET = do_POST  # noqa: N815 - the base class looks for this name

    def reply(self, content: str, *, status: int = 200, **headers: str) -> None:
        data = content.encode()
        with self.lock:
            self.seen.together -= 1  # before the client can know of it
        self.send_response(status)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **given}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        pass


@contextmanager
def served(respond: Respond) -> Iterator[tuple[str, Seen]]:
    seen = Seen()
    handler = type("Bound", (Handler,), {"respond": staticmethod(respond), "seen": seen, "lock": threading.Lock()})
    with Quiet(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/ask", seen
        server.shutdown()


def two(handler: Handler, _: int) -> None:
    handler.reply('{"answer": {"text": "two"}}')


QUESTION = Question("how many moons?", "c1", Principal(tenant="blue"))


def ask(
    settings: HttpSystem,
    *,
    question: Question = QUESTION,
    timeout_s: float = 5.0,
    times: int = 1,
    concurrency: int = 4,
    secrets: Secrets | None = None,
) -> list[Reply | BaseException]:
    async def run() -> list[Reply | BaseException]:
        endpoint = HttpEndpoint(
            settings,
            clock=SystemClock(),
            timeout_s=timeout_s,
            concurrency=concurrency,
            secrets=secrets or Secrets(),
        )
        try:
            return await asyncio.gather(*(endpoint.ask(question) for _ in range(times)), return_exceptions=True)
        finally:
            await endpoint.close()

    return asyncio.run(run())


def failure(replies: Sequence[Reply | BaseException]) -> AskFailed:
    (failed,) = replies
    assert isinstance(failed, AskFailed), failed
    return failed


def test_a_question_goes_out_by_the_template_and_the_reply_comes_back_by_jsonpath() -> None:
    def respond(handler: Handler, _: int) -> None:
        handler.reply('{"result": {"text": "two"}}')

    with served(respond) as (url, seen):
        settings = HttpSystem(
            url=url,
            headers={"Authorization": "Bearer env:TOKEN", "X-Case": "plain"},
            body={"q": "{{question}}", "tenant": "{{principal.tenant}}"},
            fields={"answer": "$.result.text"},
        )
        (reply,) = ask(settings, secrets=Secrets({"TOKEN": KEY}))
    assert isinstance(reply, Reply)
    trace = read_reply(reply, QUESTION, repeat=0, asked_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert trace.answer is not None
    assert trace.answer.text == "two"
    assert seen.bodies == [{"q": "how many moons?", "tenant": "blue"}]
    assert seen.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert "Cookie" not in seen.headers[0]


def test_a_get_puts_the_question_into_the_address() -> None:
    hostile = "how many? a&k=w#+%26 \u043b"
    with served(two) as (url, seen):
        settings = HttpSystem(url=f"{url}?q={{{{question}}}}&k=v", method="GET")
        (reply,) = ask(settings, question=Question(hostile, "c1"))
    assert isinstance(reply, Reply)
    (path,) = seen.paths
    assert parse_qs(urlsplit(path).query) == {"q": [hostile], "k": ["v"]}


def test_a_plain_text_is_the_answer() -> None:
    with served(lambda handler, _: handler.reply("two", Content_Type="text/plain; charset=utf-8")) as (url, _):
        (reply,) = ask(HttpSystem(url=url))
    assert isinstance(reply, Reply)
    assert reply.value == "two"


@pytest.mark.parametrize("status", [400, 401, 404, 500, 502, 503])
def test_an_error_status_is_a_failure_that_is_not_tried_again_and_holds_no_key(status: int) -> None:
    def respond(handler: Handler, _: int) -> None:
        handler.reply(f"refused {handler.headers['X-Key']}", status=status)

    with served(respond) as (url, seen):
        failed = failure(ask(HttpSystem(url=url, headers={"X-Key": "env:K"}), secrets=Secrets({"K": KEY})))
    assert failed.kind == f"HTTP{status}"
    assert failed.message == f"the endpoint answered {status}: refused env:K"
    assert len(seen.at) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not JSON"),
        ("", "is not JSON"),
        ('{"answer": {"text": "a"}, "answer": {"text": "b"}}', "'answer' stands twice"),
        ('{"answer": {"text": "a", "confidence": NaN}}', "NaN is not JSON"),
        ("[" * 100 + "]" * 100, "nested deeper"),
    ],
)
def test_a_reply_that_is_no_strict_json_is_a_failure(content: str, words: str) -> None:
    with served(lambda handler, _: handler.reply(content)) as (url, _):
        failed = failure(ask(HttpSystem(url=url)))
    assert failed.kind == "InvalidReply"
    assert words in failed.message


def stall(_: Handler, __: int) -> None:
    time.sleep(1.5)


def drip(handler: Handler, _: int) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(40):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def never_close(handler: Handler, _: int) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{}")
    handler.wfile.flush()
    time.sleep(1.5)


@pytest.mark.parametrize("respond", [stall, drip, never_close])
def test_no_endpoint_holds_a_question_longer_than_its_deadline(respond: Respond) -> None:
    with served(respond) as (url, seen):
        started = time.monotonic()
        failed = failure(ask(HttpSystem(url=url), timeout_s=0.3))
        took = time.monotonic() - started
    assert failed.timed_out
    assert took < 1.2  # each stalls for 1.5 s and more; on an idle machine it is the deadline of 0.3 s and some ms
    assert len(seen.at) == 1


def cut(handler: Handler, _: int) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    handler.wfile.flush()
    handler.close_connection = True


def reset(handler: Handler, _: int) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    raise ConnectionAbortedError


@pytest.mark.parametrize("respond", [cut, reset])
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_a_broken_connection_is_one_failure_and_one_request(respond: Respond, method: Any) -> None:
    with served(respond) as (url, seen):
        failed = failure(ask(HttpSystem(url=url, method=method)))
    assert not failed.timed_out
    assert not failed.unreachable
    assert len(seen.at) == 1


def test_an_endpoint_that_is_not_there_is_unreachable() -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as free:
        port = free.server_address[1]
    assert failure(ask(HttpSystem(url=f"http://127.0.0.1:{port}/"))).unreachable


def test_a_rate_limit_is_obeyed_by_all_workers_and_tried_again_by_us_alone() -> None:
    def respond(handler: Handler, number: int) -> None:
        if number == 0:
            handler.reply("", status=429, Retry_After="1")
        else:
            two(handler, number)

    with served(respond) as (url, seen):
        replies = ask(HttpSystem(url=url), times=3, concurrency=1)
    assert all(isinstance(reply, Reply) for reply in replies), replies
    assert len(seen.at) == 4
    assert all(at - seen.at[0] >= 1 for at in seen.at[1:])


def test_an_endpoint_that_refuses_always_is_asked_no_more_often_than_stated() -> None:
    with served(lambda handler, _: handler.reply("", status=503, Retry_After="0")) as (url, seen):
        failed = failure(ask(HttpSystem(url=url)))
    assert failed.kind == "RateLimited"
    assert len(seen.at) == MAX_ATTEMPTS


def test_a_wait_beyond_the_deadline_is_a_failure_at_once_and_no_early_request() -> None:
    with served(lambda handler, _: handler.reply("", status=429, Retry_After="3600")) as (url, seen):
        started = time.monotonic()
        replies = ask(HttpSystem(url=url), times=3, concurrency=1, timeout_s=2)
        took = time.monotonic() - started
    assert all(isinstance(reply, AskFailed) and reply.kind == "RateLimited" for reply in replies)
    assert len(seen.at) == 1
    assert took < 2


def test_no_more_questions_are_under_way_than_allowed() -> None:
    def respond(handler: Handler, number: int) -> None:
        time.sleep(0.05)
        two(handler, number)

    with served(respond) as (url, seen):
        ask(HttpSystem(url=url), times=8, concurrency=2)
    assert len(seen.at) == 8
    assert seen.most_together == 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nothing_is_sent_to_another_host(status: int) -> None:
    with (
        served(two) as (other, elsewhere),
        served(lambda handler, _: handler.reply("", status=status, Location=other)) as (url, _),
    ):
        failed = failure(ask(HttpSystem(url=url, method="GET", headers={"Authorization": KEY})))
    assert failed.kind == "RedirectRefused"
    assert elsewhere.at == []


def test_a_redirect_within_the_host_keeps_the_question() -> None:
    def respond(handler: Handler, number: int) -> None:
        if number == 0:
            handler.reply("", status=307, Location="/new")
        else:
            two(handler, number)

    with served(respond) as (url, seen):
        (reply,) = ask(HttpSystem(url=url, body={"q": "{{question}}"}))
    assert isinstance(reply, Reply)
    assert seen.paths == ["/ask", "/new"]
    assert seen.bodies == [{"q": "how many moons?"}] * 2


def test_a_ring_of_redirects_ends() -> None:
    with served(lambda handler, _: handler.reply("", status=307, Location="/ask")) as (url, seen):
        failed = failure(ask(HttpSystem(url=url)))
    assert failed.kind == "TooManyRedirects"
    assert len(seen.at) == 4


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("0", 0.0),
        ("120", 120.0),
        ("1.5", 1.5),
        ("Thu, 01 Jan 2026 00:02:00 GMT", 120.0),
        ("Thursday, 01-Jan-26 00:02:00 GMT", 120.0),
        ("Thu Jan  1 00:02:00 2026", 120.0),
        ("Wed, 31 Dec 2025 00:00:00 GMT", 0.0),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("١٢", None),
        ("1e9", None),
    ],
)
def test_twelve_forms_of_retry_after(asked: str, seconds: float | None) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert wait_asked_for_s({"Retry-After": asked}, now=now) == seconds


def test_a_date_counts_from_the_endpoints_own_clock_where_ours_is_ahead() -> None:
    headers = {"retry-after": "Thu, 01 Jan 2026 00:02:00 GMT", "date": "Thu, 01 Jan 2026 00:00:00 GMT"}
    assert wait_asked_for_s(headers, now=datetime(2026, 1, 1, 0, 5, tzinfo=UTC)) == 120.0
