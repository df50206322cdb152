"""Freshness of a real HTTP index on loopback that shows changes late, and of the queries it served meanwhile."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.core.errors import BadInput, SystemUnavailable
from ragtriage.core.records import Document
from ragtriage.core.score import Failed, Undefined, Value
from ragtriage.runs.freshness import Polling
from ragtriage.runs.maintenance import PythonMaintenance
from ragtriage.workflows.index_freshness import index_freshness, lagging_views, open_index, stale_queries

KEY = "canary-key-0123456789"


@dataclass
class Late:
    """Documents and from when to when they are searchable."""

    lag_s: float = 0.0
    delete_status: int = 204
    write_status: int = 201
    texts: dict[str, str] = field(default_factory=dict)
    since: dict[str, float] = field(default_factory=dict)
    until: dict[str, float] = field(default_factory=dict)
    keys: set[str | None] = field(default_factory=set)

    def found(self, question: str) -> list[dict[str, str]]:
        now = time.monotonic()
        return [
            {"id": name, "text": text}
            for name, text in self.texts.items()
            if self.since[name] <= now < self.until.get(name, now + 1) and set(text.split()) & set(question.split())
        ]


@contextmanager
def serving(index: Late) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            index.keys.add(self.headers.get("X-Key"))
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/documents" and index.write_status != 201:
                self.reply(index.write_status, b"{}")
            elif self.path == "/documents":
                index.texts[body["id"]] = body["text"]
                index.since[body["id"]] = time.monotonic() + index.lag_s
                self.reply(201, b"")
            else:
                self.reply(200, json.dumps({"answer": body["q"], "hits": index.found(body["q"])}).encode())

        def do_DELETE(self) -> None:
            index.until[self.path.rpartition("/")[2]] = time.monotonic() + index.lag_s
            self.reply(index.delete_status, b"")

        def reply(self, status: int, content: bytes) -> None:
            self.send_response(status)
            if content:
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def write_description(path: Path, base: str) -> Path:
    """Describe the index of a server."""
    path.write_text(
        f"""timeout_s = 5
[write]
url = "{base}/documents"
headers = {{"X-Key" = "env:INDEX_KEY"}}
body = {{id = "{{{{id}}}}", text = "{{{{text}}}}"}}
[delete]
method = "DELETE"
url = "{base}/documents/{{{{id}}}}"
[search]
url = "{base}/search"
body = {{q = "{{{{question}}}}"}}
fields = {{"context[].id" = "$.hits[*].id", "context[].text" = "$.hits[*].text"}}
"""
    )
    return path


@pytest.fixture
def described(tmp_path: Path) -> Callable[[str], Path]:
    """Describe the index of a server in a file of its own."""
    return partial(write_description, tmp_path / "index.toml")


def test_an_index_behind_http_is_measured_by_its_description(described: Callable[[str], Path]) -> None:
    index = Late(lag_s=0.15)
    with serving(index) as base:
        port = open_index(described(base), environment={"INDEX_KEY": KEY})
        found = index_freshness(port, markers=2, polling=Polling(deadline_s=20, pause_s=0.02))
    assert [change.kind for change in found.changes] == ["written", "deleted"] * 2
    for score in (found.freshness_p50, found.freshness_p99, found.deletion_p50):
        assert isinstance(score, Value)
        assert score.value >= 100  # the reply took part of the 150 ms
        assert score.support == 2
    assert found.unseen.value == 0.0
    assert (found.failed, found.left_behind) == ((), ())
    assert KEY in index.keys
    assert set(index.until) == set(index.texts)


def test_an_index_that_refuses_to_delete_is_said_to_keep_the_markers(described: Callable[[str], Path]) -> None:
    with serving(Late(delete_status=403)) as base:
        port = open_index(described(base), environment={"INDEX_KEY": KEY})
        found = index_freshness(port, markers=1, polling=Polling(deadline_s=20))
    (refused,) = found.failed
    assert isinstance(refused.outcome, Failed)
    assert refused.outcome.error == "HTTP403"
    assert found.left_behind == (refused.doc_id,)
    assert isinstance(found.deletion_p50, Undefined)
    assert (found.unseen.scored, found.unseen.failed) == (1, 1)


def test_a_server_that_is_not_there_is_unavailable(described: Callable[[str], Path]) -> None:
    with serving(Late()) as base:
        path = described(base)
    with pytest.raises(SystemUnavailable, match="not reached"):
        index_freshness(open_index(path, environment={"INDEX_KEY": KEY}), markers=1)


def test_every_fault_of_the_description_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "index.toml"
    path.write_text(
        '[write]\nurl = "ftp://x"\nbody = {t = "{{txt}}"}\n[delete]\nurl = "http://x/{{id}}"\n'
        'headers = {Authorization = "Bearer abc"}\n[search]\nurl = "http://x"\n'
    )
    with pytest.raises(BadInput) as error:
        open_index(path, environment={})
    text = str(error.value)
    assert "index.toml has 4 faults" in text
    assert ":2: 'write.url' must be an http or https address" in text
    assert ":3: 'write.body' {{txt}} is no placeholder" in text
    assert ":6: 'delete.headers.Authorization' must be given as 'env:NAME'" in text
    assert ":7: 'search' has no 'fields'" in text
    path.write_text('[write]\nurl = "http://x"\nmethod = "SEND"\n')
    with pytest.raises(BadInput, match=r":3: 'write.method'") as error:
        open_index(path, environment={})
    assert "'delete' is missing" in str(error.value)


def test_a_secret_that_is_not_set_is_named(described: Callable[[str], Path]) -> None:
    with pytest.raises(BadInput, match="not set: INDEX_KEY"):
        open_index(described("http://127.0.0.1:9"), environment={})


def test_the_slowest_marker_without_a_number_leaves_the_99th_percentile_without_one() -> None:
    held: list[str] = []

    def write(document: Document) -> None:
        if len(held) < 3:
            held.append(document.doc_id)

    port = PythonMaintenance(write=write, delete=lambda _: None, search=lambda _: list(held[:0]))
    found = index_freshness(port, markers=1, polling=Polling(deadline_s=0.05, pause_s=0.01))
    assert isinstance(found.freshness_p99, Undefined)
    assert "1 of 1 changes were not seen within their deadline (50 ms)" in found.freshness_p99.reason
    assert found.unseen.value == 1.0


WINDOWS = st.lists(st.tuples(st.integers(0, 20), st.none() | st.integers(0, 8)), min_size=1, max_size=5)


@given(asked=st.lists(st.integers(-2, 30), max_size=8), spans=WINDOWS)
def test_a_query_is_stale_exactly_inside_some_window(asked: list[int], spans: list[tuple[int, int | None]]) -> None:
    windows = [(begin, None if length is None else begin + length) for begin, length in spans]
    slow = [any(begin <= at and (end is None or at < end) for begin, end in windows) for at in asked]
    assert [view.lagging for view in lagging_views(asked, windows)] == slow


def test_without_events_nothing_is_stale_or_fresh() -> None:
    for windows in (None, []):
        found = stale_queries([1.0, 2.0], windows)
        assert found.value is None
        assert found.reason == "no event tells whether the index lagged"
    assert stale_queries([1, 2, 3, 4], [(2, 4)]).value == 0.5
    with pytest.raises(BadInput, match="searchable before they are committed"):
        stale_queries([1], [(4, 2)])
