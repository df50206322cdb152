"""Evaluate from Python: what is asked, what is kept, what happens to a folder that holds a run already."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.assurance.harness import CONFIGURATION, timeless, write_project

import ragtriage
from ragtriage.core.errors import BadInput, Interrupted, NotComparable, PlanChanged, StorageFailed, SystemUnavailable
from ragtriage.core.system import Question
from ragtriage.runs.store import FILE, RunStore
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.folder import DERIVED
from ragtriage.workflows.preview import preview
from ragtriage.workflows.rescore import rescore
from ragtriage.workflows.run import Run

CASES = 6
METRICS = ["retrieval.recall@2", "system.errors"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project of six cases; the system fails on case c3."""
    folder = tmp_path / "project"
    write_project(folder, cases=CASES)
    monkeypatch.setenv("DELAY_S", "0")
    before = list(sys.path)
    yield folder
    sys.path[:] = before


def run_of(project: Path, name: str = "run", **options: Any) -> Run:
    return evaluate(project / "ragtriage.toml", output=project / name, environment={}, **options)


def asked(project: Path) -> list[str]:
    log = project / "asked.log"
    return [line.split()[1] for line in log.read_text().splitlines()] if log.exists() else []


def test_a_run_folder_holds_every_file_and_nothing_else(project: Path) -> None:
    run = run_of(project)
    assert sorted(path.name for path in (project / "run").iterdir()) == sorted([FILE, *DERIVED])
    assert run.results.status == "complete"
    assert run.results.counts.model_dump() == {
        "cases": 6, "traced": 6, "failed": 1, "ok": 3, "not_ok": 3, "no_expectation": 0,
    }  # fmt: skip
    document = json.loads((project / "run" / "results.json").read_text())
    assert document["schema"] == "ragtriage.results/1"
    assert document["bundle"] == json.loads((project / "run" / "bundle.json").read_text())["bundle"]


def test_a_failed_case_is_counted_beside_every_mean_and_blamed_on_the_service(project: Path) -> None:
    run = run_of(project)
    row = run.metric("retrieval.recall@2").row
    # c3 failed; c0 and c5 need d3 and got d0 and d1.
    assert (row.value, row.scored, row.failed) == (0.6, 5, 1)
    (broken,) = [case for case in run.results.cases if case.case_id == "c3"]
    assert broken.diagnosis is not None
    assert broken.diagnosis.leaf == "service"
    assert run.results.gate is not None
    assert run.results.gate.verdict == "undecidable"  # one of six failed


def test_a_loaded_run_is_the_run_that_was_written(project: Path) -> None:
    run = run_of(project)
    again = Run.load(project / "run")
    assert again.results == run.results
    assert again.report().scores == run.report().scores
    assert again.report().cases == run.report().cases
    assert again.report().traces == run.report().traces
    assert again.report().verdicts == run.report().verdicts
    assert again.report().documents == run.report().documents
    assert set(again.report().documents) == {"d0", "d1", "d2", "d3"}


def test_it_works_inside_a_running_event_loop(project: Path) -> None:
    async def notebook() -> Run:
        return run_of(project)

    assert asyncio.run(notebook()).results.status == "complete"


def test_a_callable_a_corpus_and_a_golden_set_need_no_configuration(project: Path) -> None:
    seen: list[Question] = []

    def answer(question: Question) -> str:
        seen.append(question)
        return "It says 0 things."

    run = ragtriage.evaluate(
        system=answer, golden=project / "golden", corpus=project / "corpus", metrics=METRICS, output=project / "run"
    )
    assert len(seen) == CASES
    assert run.metric_names == ("retrieval.recall@2", "system.errors")
    assert (
        run.results.bundle["system.python"].startswith("tests")
        or "test_evaluate" in run.results.bundle["system.python"]
    )
    assert rescore(project / "run").results == run.results


def test_limit_condition_and_repeat_choose_what_is_asked(project: Path) -> None:
    run = run_of(project, where="language = 'kk'", limit=2, repeat=2)
    assert sorted(asked(project)) == ["c1", "c1", "c3", "c3"]
    assert [case.case_id for case in run.results.cases] == ["c1", "c3"]
    assert "asked 2 times; 0 of 2 cases were ok in some repeats and not in others" in " ".join(run.results.notes)


def test_a_case_that_is_ok_only_sometimes_is_named(project: Path) -> None:
    calls: dict[str, int] = {}

    def answer(question: Question) -> dict[str, Any]:
        calls[question.case_id] = calls.get(question.case_id, 0) + 1
        found = int(question.case_id[1:]) if calls[question.case_id] == 1 else 2
        return {"context": [{"id": f"d{found}", "text": f"Document {found} says {found} things."}], "answer": "?"}

    run = evaluate(
        project / "ragtriage.toml", system=answer, output=project / "run", environment={}, repeat=2, jobs=1, limit=3
    )
    assert "1 of 3 cases were ok in some repeats and not in others (c1)" in " ".join(run.results.notes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"where": "language = 'xx'"}, "no case of the golden set meets"),
        ({"where": "langage = 'kk'"}, "cannot be read"),
        ({"limit": 0}, "limit must be 1 or more"),
        ({"jobs": 0}, "jobs must be 1 or more"),
        ({"metrics": ["retrieval.recal@2"]}, "Did you mean 'retrieval.recall'"),
        ({"resume": "elsewhere"}, "are two"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_anything_is_asked(
    project: Path, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        run_of(project, **options)
    assert asked(project) == []
    assert not RunStore.exists(project / "run")


def test_a_finished_run_is_replaced(project: Path) -> None:
    first = run_of(project)
    second = run_of(project, limit=2)
    assert second.results.run_id != first.results.run_id
    assert len(Run.load(project / "run").results.cases) == 2


def test_a_finished_run_stays_when_the_next_one_cannot_begin(project: Path) -> None:
    first = run_of(project)
    (project / "counting_rag.py").write_text("def another(question): ...\n")
    sys.modules.pop("counting_rag")
    with pytest.raises(SystemUnavailable, match="no 'answer'"):
        run_of(project)
    assert Run.load(project / "run").results == first.results


def test_resuming_a_finished_run_asks_again_what_failed_and_nothing_else(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run_of(project)
    assert first.results.counts.failed == 1
    before = len(asked(project))
    monkeypatch.setenv("STEADY", "1")
    second = evaluate(project / "ragtriage.toml", resume=project / "run", environment={})
    assert asked(project)[before:] == ["c3"]
    assert second.results.counts.failed == 0
    assert second.results.run_id == first.results.run_id
    assert second.results.gate is not None
    assert second.results.gate.verdict == "pass"


class Break(Exception):
    """Stops a run in the middle, as a kill would."""


class Breaking:
    """Progress that breaks after some questions."""

    def __init__(self, after: int, error: type[BaseException]) -> None:
        self.after, self.error = after, error

    def begin(self, total: int, done: int) -> None: ...

    def advance(self, *, failed: bool) -> None:  # noqa: ARG002 - counted alone
        self.after -= 1
        if self.after == 0:
            raise self.error

    def end(self) -> None: ...


@pytest.fixture
def unfinished(project: Path) -> Path:
    """A project with a run that died after two questions."""
    with pytest.raises(Break):
        run_of(project, jobs=1, progress=Breaking(2, Break))
    with RunStore.open(project / "run") as store:
        assert store.status == "running"
        assert len(store.asked()) == 2
    return project


def test_an_unfinished_run_is_continued_by_the_same_command(unfinished: Path) -> None:
    before = asked(unfinished)
    run_of(unfinished)
    assert sorted(asked(unfinished)) == [f"c{n}" for n in range(CASES)]
    assert asked(unfinished)[:2] == before
    run_of(unfinished, "undisturbed")
    assert timeless(unfinished / "run" / "results.json") == timeless(unfinished / "undisturbed" / "results.json")


def test_an_unfinished_run_is_never_thrown_away_for_another_plan(unfinished: Path) -> None:
    content = (unfinished / "run" / FILE).read_bytes()
    with pytest.raises(PlanChanged, match=r"(?m)^  cases: 6 \w+ -> 3 \w+$"):
        run_of(unfinished, limit=3)
    assert (unfinished / "run" / FILE).read_bytes() == content


def test_resuming_takes_limit_condition_and_repeat_from_the_run(project: Path) -> None:
    with pytest.raises(Break):
        run_of(project, jobs=1, progress=Breaking(1, Break), limit=3, where="language = 'en'")
    run = evaluate(resume=project / "run", config=project / "ragtriage.toml", environment={})
    assert [case.case_id for case in run.results.cases] == ["c0", "c2", "c4"]


def test_resuming_finds_the_configuration_by_itself(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Break):
        run_of(project, jobs=1, progress=Breaking(1, Break))
    monkeypatch.chdir(tmp_path)
    assert evaluate(resume=project / "run", environment={}).results.status == "complete"


def test_resuming_where_nothing_is_yet_starts(project: Path) -> None:
    run = evaluate(project / "ragtriage.toml", resume=project / "new", environment={})
    assert run.results.status == "complete"
    assert (project / "new" / "results.json").exists()


def test_a_run_that_died_can_be_scored_as_far_as_it_got_and_passes_nothing(unfinished: Path) -> None:
    run = rescore(unfinished / "run")
    assert run.results.status == "incomplete"
    assert run.results.counts.traced == 2
    assert run.results.gate is not None
    assert run.results.gate.verdict == "undecidable"
    assert len(asked(unfinished)) == 2


def test_the_state_of_a_run_is_interrupted_after_an_interrupt(project: Path) -> None:
    with pytest.raises(Interrupted, match="--resume"):
        run_of(project, jobs=1, progress=Breaking(1, Interrupted))
    with RunStore.open(project / "run") as store:
        assert store.status == "interrupted"


def test_scoring_again_refuses_another_corpus(project: Path) -> None:
    run_of(project)
    documents = project / "corpus" / "documents.jsonl"
    documents.write_text(documents.read_text().replace("says 0", "said 0"))
    with pytest.raises(NotComparable, match="the corpus has changed"):
        rescore(project / "run")
    assert Run.load(project / "run").results.status == "complete"  # reading needs no corpus


def test_scoring_again_needs_neither_golden_set_nor_system(project: Path) -> None:
    run = run_of(project)
    (project / "golden" / "cases.jsonl").unlink()
    (project / "counting_rag.py").unlink()
    assert rescore(project / "run").results == run.results


def test_a_damaged_file_is_found_before_the_system_is_loaded(project: Path) -> None:
    run_of(project)
    (project / "run" / FILE).write_bytes(b"")
    (project / "counting_rag.py").write_text("raise SystemError('loaded')\n")
    with pytest.raises(StorageFailed):
        run_of(project)
    assert (project / "run" / FILE).read_bytes() == b""


def test_a_folder_without_a_run_says_what_to_do(project: Path, unfinished: Path) -> None:
    with pytest.raises(BadInput, match="holds no run"):
        rescore(project / "nothing")
    with pytest.raises(BadInput, match=r"no finished run.*--resume"):
        Run.load(unfinished / "run")


def test_a_baseline_is_held_against_the_run(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEADY", "1")
    text = CONFIGURATION.replace("min = 0.1", "max_drop = 0.02")
    (project / "ragtriage.toml").write_text(text)
    alone = run_of(project, "base")
    assert alone.results.gate is not None
    assert alone.results.gate.verdict == "undecidable"
    held = run_of(project, baseline=project / "base")
    assert held.results.gate is not None
    assert held.results.gate.verdict == "pass"
    assert held.report().compared is not None


def test_an_endpoint_that_is_not_there_ends_the_run_and_can_be_resumed(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    text = CONFIGURATION.replace('python = "counting_rag:answer"', f'http = {{url = "http://127.0.0.1:{port}/"}}')
    (project / "ragtriage.toml").write_text(text)
    with pytest.raises(SystemUnavailable, match="cannot be reached"):
        run_of(project)
    with RunStore.open(project / "run") as store:
        assert store.finished() == frozenset()


class Endpoint(BaseHTTPRequestHandler):
    """Answers with the words it was sent."""

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["q"]
        content = json.dumps({"said": question, "found": [{"id": "d0", "body": "Document 0 says 0 things."}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None: ...


def test_an_endpoint_is_evaluated_like_any_other_system(project: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        http = f"""[system.http]
url = "http://127.0.0.1:{server.server_address[1]}/ask"
body = {{q = "{{{{question}}}}"}}
[system.http.fields]
answer = "$.said"
"rankings.words[].id" = "$.found[*].id"
"context[].id" = "$.found[*].id"
"context[].text" = "$.found[*].body"
"""
        text = CONFIGURATION.replace('python = "counting_rag:answer"\n', "").replace("[metrics]", f"{http}\n[metrics]")
        (project / "ragtriage.toml").write_text(text)
        run = run_of(project)
        server.shutdown()
    assert run.results.counts.failed == 0
    assert all(trace.answer and trace.answer.text == trace.question for trace in run.report().traces.values())
    # Only d0 is ever found, and c4 alone needs it: c0 needs d3.
    assert [result.case_id for result in run.cases.where("retrieval.recall@2 = 1").results] == ["c4"]


def test_without_a_configuration_it_says_how_to_name_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"there is no ragtriage.toml in .* name a configuration with -c"):
        evaluate()


def test_a_preview_asks_nothing_and_writes_nothing(project: Path, unfinished: Path) -> None:
    found = preview(project / "ragtriage.toml", output=unfinished / "run", repeat=1)
    assert (found.cases, found.questions, found.finished, found.to_ask) == (6, 6, 2, 4)
    assert found.bundle["system.python"] == "counting_rag:answer"
    fresh = preview(project / "ragtriage.toml", output=project / "new", limit=3, repeat=2)
    assert (fresh.cases, fresh.questions, fresh.to_ask) == (3, 6, 6)
    assert not (project / "new").exists()
    assert len(asked(project)) == 2


def test_the_systems_chunks_and_parts_stand_in_the_bundle(project: Path) -> None:
    system = project / "counting_rag.py"
    chunk = "{'chunk_id': 'd0#0', 'doc_id': 'd0', 'start': 0, 'end': 8, 'text': 'Document'}"
    system.write_text(f"{system.read_text()}\ndef chunks():\n    return [{chunk}]\nanswer.bundle = {{'llm': 'none'}}\n")
    run = run_of(project)
    assert run.results.bundle["chunks"].startswith("1 ")
    assert run.results.bundle["system.told.llm"] == "none"
    with RunStore.open(project / "run") as store:
        chunks = store.chunks()
    assert chunks is not None
    assert [found.chunk_id for found in chunks] == ["d0#0"]


def test_what_a_system_wants_said_of_the_run_is_said_once(project: Path) -> None:
    def answer(_: Question) -> dict[str, Any]:
        return {"answer": "?", "metadata": {"notes": ["a stand-in took the model's place"]}}

    run = evaluate(project / "ragtriage.toml", system=answer, output=project / "run", environment={})
    assert run.results.notes.count("a stand-in took the model's place") == 1


def test_a_literal_key_in_a_factor_stays_out_of_the_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    canary = "canary-key-0123456789"
    system = project / "counting_rag.py"
    system.write_text(f"{system.read_text()}\nimport os\ndef build(key):\n    return lambda q: os.environ[key[4:]]\n")
    text = CONFIGURATION.replace('"counting_rag:answer"', '"counting_rag:build"')
    (project / "ragtriage.toml").write_text(
        text.replace("[metrics]", '[system.factors]\nkey = "env:MY_KEY"\n[metrics]')
    )
    monkeypatch.setenv("MY_KEY", canary)
    evaluate(project / "ragtriage.toml", output=project / "run", environment={"MY_KEY": canary})
    content = b"".join(path.read_bytes() for path in (project / "run").iterdir())
    assert canary.encode() not in content
    assert b"env:MY_KEY" in content


@pytest.mark.parametrize(
    ("place", "held"), [("corpus", "the corpus"), ("golden", "the golden set"), (".", "the configuration")]
)
def test_no_run_is_written_among_what_it_is_made_of(project: Path, place: str, held: str) -> None:
    before = sorted(project.rglob("*"))
    with pytest.raises(BadInput, match=f"holds {held}"):
        run_of(project, place)
    assert sorted(project.rglob("*")) == before


def test_a_condition_of_nothing_says_so(project: Path) -> None:
    with pytest.raises(BadInput, match="the condition is empty"):
        run_of(project, where=" ")


def test_a_choice_of_no_metric_is_a_fault(project: Path) -> None:
    config = project / "ragtriage.toml"
    chosen = re.sub(r"(?m)^include = .*$", "include = []", config.read_text())
    config.write_text(chosen.partition("[[gate]]")[0])
    with pytest.raises(BadInput, match=r"'metrics.include' chooses no metric"):
        run_of(project)
