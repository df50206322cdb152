"""Models behind endpoints, over a real server on loopback."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.core.system import Question

KEY = "sk-canary-5512"


@dataclass
class Server:
    """What the server answers next, and what it was asked."""

    url: str = ""
    status: int = 200
    content_type: str = "application/json"
    pieces: list[bytes] = field(default_factory=list)
    stalls: threading.Event = field(default_factory=threading.Event)
    asked: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()
    state.stalls.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append((self.path, dict(self.headers), body))
            self.send_response(state.status)
            self.send_header("Content-Type", state.content_type)
            if state.status == 302:
                self.send_header("Location", f"{state.url}/elsewhere")
            self.end_headers()
            for piece in state.pieces:
                self.wfile.write(piece)
                self.wfile.flush()
            state.stalls.wait(10)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state.url = f"http://127.0.0.1:{http.server_port}/v1"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield state
        state.stalls.set()
        http.shutdown()
        thread.join()


def event(**fields: Any) -> bytes:
    return f"data: {json.dumps(fields, ensure_ascii=False)}\n\n".encode()


def delta(text: str | None, *, finish: str | None = None) -> bytes:
    return event(model="served-1", choices=[{"index": 0, "delta": {"content": text}, "finish_reason": finish}])


def streams(server: Server, *texts: str, finish: str = "stop") -> None:
    server.content_type = "text/event-stream"
    usage = event(choices=[], usage={"prompt_tokens": 100, "completion_tokens": 20})
    server.pieces = [*(delta(t) for t in texts), delta(None, finish=finish), usage, b"data: [DONE]\n\n"]


def chat(server: Server, **fields: Any) -> dict[str, Any]:
    return {"base_url": server.url, "model": "asked-1", "timeout_s": 5.0, **fields}


QUESTION = Question("Early withdrawal of the deposit Harbour?", "c1")


def test_a_streamed_answer_is_joined_and_its_numbers_become_citations(
    server: Server, build: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    # cut between the two bytes of a letter, as a stream may be
    streams(server, "It costs 0.5%", " of the amount [1]. Paid ", "monthly [2, 9].")
    joined = b"".join(server.pieces)
    server.pieces = [joined[:37], joined[37:38], joined[38:]]
    prices = {"usd_per_million_input": 2.0, "usd_per_million_output": 10.0}
    trace = build(generator=chat(server, api_key="env:TEST_KEY", **prices))(QUESTION)
    assert trace.error is None
    text = "It costs 0.5% of the amount [1]. Paid monthly [2, 9]."
    assert trace.answer.text == text
    ids = [i.id for i in trace.context]
    assert [(text[c.start : c.end], c.ids) for c in trace.answer.citations] == [
        ("It costs 0.5% of the amount [1].", (ids[0],)),
        ("Paid monthly [2, 9].", (ids[1], "9")),
    ]
    assert (trace.tokens.input, trace.tokens.output) == (100, 20)
    assert trace.cost.total == pytest.approx(100 * 2e-6 + 20 * 10e-6)
    assert (trace.models["generator"], trace.models["generator_served"]) == ("asked-1", "served-1")
    assert trace.first_token_ms > 0

    path, headers, body = server.asked[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["stream"], body["temperature"]) == ("asked-1", True, 0.0)
    assert QUESTION.text in body["messages"][1]["content"]
    assert KEY not in trace.model_dump_json()


def test_an_endpoint_that_does_not_stream_is_read_whole(server: Server, build: Callable[..., Any]) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Half a percent [1]."}, "finish_reason": "stop"}
    server.pieces = [json.dumps({"model": "m", "choices": [choice]}).encode()]
    trace = build(generator=chat(server))(QUESTION)
    assert trace.answer.text == "Half a percent [1]."
    assert trace.cost is None
    assert trace.tokens.output > 0


def test_the_agreed_refusal_is_an_abstention(server: Server, build: Callable[..., Any]) -> None:
    streams(server, "The documents do not ", "answer this question.")
    trace = build(generator=chat(server))(QUESTION)
    assert (trace.answer.abstained, trace.answer.citations) == (True, ())


@pytest.mark.parametrize("status", [302, 401, 429, 500])
def test_a_failed_call_is_an_error_of_the_trace_that_keeps_what_came_before(
    server: Server, build: Callable[..., Any], status: int
) -> None:
    server.status = status
    server.pieces = [b"not today"]
    trace = build(generator=chat(server))(QUESTION)
    assert trace.answer is None
    assert (trace.error.stage, trace.error.timed_out) == ("generation", False)
    assert f"HTTP {status}" in trace.error.message
    assert trace.context
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "pieces",
    [
        [delta("half an ans")],
        [b"data: {not json}\n\n"],
        [event(error={"message": "overloaded"})],
        [b'data: {"choices": NaN}\n\n'],
        [b"data: [1, 2]\n\n"],
    ],
)
def test_a_reply_that_breaks_off_or_makes_no_sense_is_no_answer(
    server: Server, build: Callable[..., Any], pieces: list[bytes]
) -> None:
    server.content_type = "text/event-stream"
    server.pieces = pieces
    trace = build(generator=chat(server))(QUESTION)
    assert trace.answer is None
    assert trace.error.stage == "generation"


def test_a_reply_that_never_ends_stops_at_the_deadline(server: Server, build: Callable[..., Any]) -> None:
    streams(server, "It costs")
    server.pieces = server.pieces[:1]
    server.stalls.clear()
    trace = build(generator=chat(server, timeout_s=0.3))(QUESTION)
    assert trace.answer is None
    assert trace.error.timed_out is True


def test_nobody_listening_is_an_error_of_the_trace(build: Callable[..., Any]) -> None:
    trace = build(generator={"base_url": "http://127.0.0.1:9", "model": "m"})(QUESTION)
    assert trace.error.stage == "generation"


def test_a_model_can_be_asked_inside_a_running_event_loop(server: Server, build: Callable[..., Any]) -> None:
    streams(server, "Half a percent [1].")
    pipeline = build(generator=chat(server))

    async def inside() -> Any:
        return pipeline(QUESTION)

    assert asyncio.run(inside()).answer.text == "Half a percent [1]."


def test_a_key_that_is_not_set_is_refused_before_anything_is_asked(server: Server, build: Callable[..., Any]) -> None:
    with pytest.raises(BadInput, match="NO_SUCH_KEY"):
        build(generator=chat(server, api_key="env:NO_SUCH_KEY"))


def test_a_cross_encoder_decides_the_last_order(server: Server, build: Callable[..., Any]) -> None:
    pipeline = build(mode="bm25", rerank={"base_url": server.url, "model": "cross-1"})
    lexical = build(mode="bm25")(QUESTION).rankings[0].hits
    results = [{"index": n, "relevance_score": n} for n in reversed(range(len(lexical)))]
    server.pieces = [json.dumps({"results": results}).encode()]
    trace = pipeline(QUESTION)
    assert [h.id for h in trace.rankings[-1].hits] == [h.id for h in lexical][::-1]
    assert trace.models["reranker"] == "cross-1"
    assert trace.cost is None
    path, _, body = server.asked[0]
    assert path == "/v1/rerank"
    assert (body["query"], len(body["documents"])) == (QUESTION.text, len(lexical))


@pytest.mark.parametrize(
    "reply",
    [
        {"results": []},
        {"results": [{"index": 0, "relevance_score": 1.0}, {"index": 0, "relevance_score": 2.0}]},
        {"results": [{"index": 0, "relevance_score": True}]},
        {"results": [{"index": 0, "score": 1.0}]},
        [],
        {},
    ],
)
def test_scores_that_do_not_fit_the_candidates_are_an_error(
    server: Server, build: Callable[..., Any], reply: object
) -> None:
    server.pieces = [json.dumps(reply).encode()]
    trace = build(mode="bm25", rerank={"base_url": server.url, "model": "m"})(QUESTION)
    assert trace.error.stage == "rerank"
    assert trace.context is None
