"""A single case, asked and measured alone."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ragtriage.core.clock import SystemClock
from ragtriage.core.errors import BadInput, SystemUnavailable, UnknownName
from ragtriage.core.score import Failed, Undefined, Value
from ragtriage.workflows.case_check import check_case, outcome_of
from ragtriage.workflows.init import init
from ragtriage.workflows.inputs import Inputs, read_inputs
from ragtriage.workflows.settings import read_settings
from ragtriage.workflows.single_case import CaseAsker, MeasuredCase, metric_for

TEXT = "On Saturday it closes at 14:00."


class Endpoint(BaseHTTPRequestHandler):
    """Answers every question with one sentence of the document of opening hours."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"reply": TEXT, "gave_up": False, "sources": [
            {"id": "hours", "document": "hours", "text": TEXT, "score": 1.0}]}).encode()  # fmt: skip
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    """A running endpoint."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def inputs_of(folder: Path, template: str, changes: Mapping[str, str] | None = None) -> Inputs:
    init(folder, template=template)
    config = folder / "ragtriage.toml"
    text = config.read_text()
    for old, new in (changes or {}).items():
        assert old in text
        text = text.replace(old, new, 1)
    config.write_text(text)
    return read_inputs(read_settings(config), limit=None, where=None)


@contextmanager
def asking(inputs: Inputs, environment: Mapping[str, str] | None = None) -> Iterator[CaseAsker]:
    asker = CaseAsker(inputs, clock=SystemClock(), environment=environment or {})
    try:
        yield asker
    finally:
        asker.close()


def outcome(measured: MeasuredCase, name: str, level: str | None = None) -> Value | Undefined | Failed:
    return outcome_of(measured, name, level=level)[2]


def test_an_endpoint_stays_open_from_case_to_case(tmp_path: Path, port: int) -> None:
    inputs = inputs_of(tmp_path, "http", {":8077/": f":{port}/"})
    with asking(inputs) as asker:
        found = {case.case_id: asker.ask(case) for case in inputs.whole.cases}
    assert all(measured.failed is None for measured in found.values())
    assert outcome(found["saturday"], "retrieval_recall") == Value(1.0, 1)
    assert outcome(found["saturday"], "generation_required_facts") == Value(1.0, 1)
    assert outcome(found["late"], "retrieval_recall", level="document") == Value(0.0, 1)
    assert isinstance(outcome(found["parking"], "retrieval_recall"), Undefined)
    assert (found["saturday"].result.ok, found["late"].result.ok) == (True, False)


def test_it_works_inside_a_running_event_loop(tmp_path: Path, port: int) -> None:
    inputs = inputs_of(tmp_path, "http", {":8077/": f":{port}/"})

    async def inside() -> MeasuredCase:
        with asking(inputs) as asker:
            return asker.ask(inputs.whole.cases[0])

    assert asyncio.run(inside()).failed is None


def test_an_endpoint_that_nobody_serves_is_unavailable(tmp_path: Path) -> None:
    with socket.socket() as taken:  # bound and not listening, so that every connection is refused
        taken.bind(("127.0.0.1", 0))
        inputs = inputs_of(tmp_path, "http", {":8077/": f":{taken.getsockname()[1]}/"})
        with asking(inputs) as asker, pytest.raises(SystemUnavailable, match="cannot be reached"):
            asker.ask(inputs.whole.cases[0])


def test_a_secret_that_is_not_set_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    inputs = inputs_of(tmp_path, "http", {"# headers = {}": 'headers = {Authorization = "Bearer env:RAG_KEY"}'})
    with pytest.raises(BadInput, match="RAG_KEY"):
        CaseAsker(inputs, clock=SystemClock(), environment={})


def test_a_recorded_case_is_read_and_one_without_a_trace_failed(tmp_path: Path) -> None:
    inputs = inputs_of(tmp_path, "traces")
    traces = tmp_path / "traces" / "recorded.jsonl"
    traces.write_text("\n".join(traces.read_text().splitlines()[1:]) + "\n")
    cases = {case.case_id: case for case in inputs.whole.cases}
    with asking(inputs) as asker:
        assert asker.ask(cases["card"]).trace.trace_id == "recorded-card"
        missing = asker.ask(cases["saturday"])
    failed = outcome(missing, "retrieval_recall")
    assert isinstance(failed, Failed)
    assert failed.error == "NoTrace"
    told = check_case(missing, {"retrieval_recall": 0}, level=None, allow_undefined=True)
    assert told is not None
    assert "failed in traces: NoTrace: no trace of case 'saturday'" in told


def test_a_limit_that_holds_tells_nothing_and_text_under_test_steers_nothing(tmp_path: Path, port: int) -> None:
    inputs = inputs_of(tmp_path, "http", {":8077/": f":{port}/"})
    case = inputs.whole.cases[0].model_copy(update={"question": "When?\x1b[2J\nE   passed"})
    with asking(inputs) as asker:
        measured = asker.ask(case)
        assert check_case(measured, {"retrieval_recall": 1.0}, level=None, allow_undefined=False) is None
        told = check_case(measured, {"generation_exact_match": 1.0}, level=None, allow_undefined=False)
    assert told is not None
    assert "\x1b" not in told
    assert "question: When?␛[2J E passed" in told.splitlines()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("retrieval_recall", "retrieval.recall@7"),
        ("retrieval_recall_at_10", "retrieval.recall@10"),
        ("retrieval.recall@3", "retrieval.recall@3"),
        ("retrieval.ndcg@10(gain=linear)", "retrieval.ndcg@10(gain=linear)"),
        ("retrieval_ndcg", "retrieval.ndcg"),
        ("retrieval_first_relevant_rank", "retrieval.first_relevant_rank"),
        ("generation_number_grounding", "generation.number_grounding"),
    ],
)
def test_a_metric_is_named_as_a_python_word(written: str, meant: str) -> None:
    assert metric_for(written, context_size=7).name == meant


@pytest.mark.parametrize("written", ["recall", "retrieval_", "retrieval_recall_at_ten", "retrieval-recall"])
def test_other_words_name_no_metric(written: str) -> None:
    with pytest.raises((UnknownName, BadInput)):
        metric_for(written, context_size=4)
