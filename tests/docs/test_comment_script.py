"""The script of the tutorial keeps one comment under a request, against servers that answer as the two hosts do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.docs.walks import DOCS, Page

MARKER = "<!-- ragtriage -->"
PER_PAGE = 100
HOSTS = {
    "github": {
        "notes": "/repos/me/rag/issues/7/comments",
        "note": "/repos/me/rag/issues/comments/",
        "method": "PATCH",
        "token": ("Authorization", "Bearer token-of-the-job"),
        "settings": {"GITHUB_REPOSITORY": "me/rag", "PULL_REQUEST": "7", "GITHUB_TOKEN": "token-of-the-job"},
        "address": "GITHUB_API_URL",
    },
    "gitlab": {
        "notes": "/projects/12/merge_requests/7/notes",
        "note": "/projects/12/merge_requests/7/notes/",
        "method": "PUT",
        "token": ("PRIVATE-TOKEN", "token-of-the-job"),
        "settings": {
            "GITLAB_CI": "true", "CI_PROJECT_ID": "12", "CI_MERGE_REQUEST_IID": "7", "GITLAB_TOKEN": "token-of-the-job",
        },
        "address": "CI_API_V4_URL",
    },
}  # fmt: skip


@contextmanager
def host(facts: dict, notes: dict[int, str]) -> Iterator[str]:
    """Serve the comments of one request: list in pages of 100, create, change."""

    class Api(BaseHTTPRequestHandler):
        def reply(self, status: int, value: object) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def sent(self) -> str:
            name, value = facts["token"]
            assert self.headers[name] == value
            return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            page = int(dict(part.split("=") for part in query.split("&"))["page"])
            listed = [{"id": name, "body": body} for name, body in notes.items()]
            chosen = listed[(page - 1) * PER_PAGE : page * PER_PAGE]
            self.reply(200 if path == facts["notes"] else 404, chosen)

        def do_POST(self) -> None:
            assert self.path == facts["notes"]
            notes[max(notes, default=0) + 1] = self.sent()
            self.reply(201, {})

        def change(self) -> None:
            assert self.command == facts["method"]
            assert self.path.startswith(facts["note"])
            notes[int(self.path.removeprefix(facts["note"]))] = self.sent()
            self.reply(200, {})

        def do_PATCH(self) -> None:
            self.change()

        def do_PUT(self) -> None:
            self.change()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("name", HOSTS)
def test_the_comment_of_the_last_push_is_replaced(name: str, tmp_path: Path) -> None:
    facts = HOSTS[name]
    [script] = [block for block in Page(DOCS / "tutorial" / "ci.md").blocks if block.title == "ci/comment.py"]
    (tmp_path / "comment.py").write_text(script.content, encoding="utf-8")
    notes = {number: f"a remark of a reviewer, {number}" for number in range(1, 131)}

    def post(report: str) -> None:
        (tmp_path / "report.md").write_text(report, encoding="utf-8")
        known = {key: value for key, value in os.environ.items() if not key.startswith(("GITHUB_", "GITLAB_", "CI_"))}
        done = subprocess.run(
            [sys.executable, "comment.py", "report.md"], cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**known, **facts["settings"], facts["address"]: address, "no_proxy": "127.0.0.1"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    with host(facts, notes) as address:
        post(f"{MARKER}\n## first ünïcode")
        post(f"{MARKER}\n## second")
    assert [body for body in notes.values() if body.startswith(MARKER)] == [f"{MARKER}\n## second"]
    assert len(notes) == 131
