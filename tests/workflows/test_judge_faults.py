"""Judging by an endpoint that fails: every case ends scored or as a counted failure, and no score is another one."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.endpoint import Endpoint
from tests.fakes.judge import FakeJudge, shown_to
from tests.fakes.judge_server import serving
from tests.fakes.script import Step, faulty
from tests.workflows.projects import write_project

from ragtriage.models.ports import ChatRequest, Message
from ragtriage.runs.store import RunStore
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.rescore import rescore

Shared = Callable[[str], Path]
FAITHFUL = '[metrics]\ninclude = ["generation.faithfulness"]\n'


def project(folder: Path, address: str, answers: list[str], *, judge: str = "", rest: str = FAITHFUL) -> Path:
    cases, traces = [], []
    for i, text in enumerate(answers):
        question = f"What is fee {i}?"
        cases.append({"case_id": f"c{i}", "question": question})
        context = [{"id": f"d{i}", "text": f"The fee is {i} euro. Cards are free. It is due now. Cash is dear."}]
        traces.append({"trace_id": f"t{i}", "case_id": f"c{i}", "question": question, "context": context,
                       "answer": {"text": text, "abstained": False}})  # fmt: skip
    settings = f'[judge]\nmodel = "openai/fake"\nbase_url = "{address}"\ncache = ""\n{judge}\n{rest}'
    return write_project(
        folder, documents=[{"doc_id": "d", "text": "A page."}], cases=cases, traces=traces, settings=settings
    )


def reply_of(judge: FakeJudge) -> Callable[[dict[str, Any]], str]:
    """Answer a body as the judge would."""

    def answer(body: dict[str, Any]) -> str:
        messages = tuple(Message(one["role"], one["content"]) for one in body["messages"])
        rubric = body["response_format"]["json_schema"]["name"]
        return json.dumps(judge.answer(rubric, shown_to(ChatRequest(messages))))

    return answer


def scored(run: Any) -> tuple[float | None, int, int]:
    row = run.results.row("generation.faithfulness")
    return row.value, row.scored, row.failed


def verdicts(folder: Path) -> dict[str, Any]:
    with RunStore.open(folder) as store:
        return dict(store.verdicts())


@pytest.mark.parametrize("seed", [1, 2])
def test_with_a_tenth_of_faults_what_is_scored_is_what_an_undisturbed_run_scores(tmp_path: Path, seed: int) -> None:
    answers = [f"The fee is {i} euro. It is paid at once. Cards are free." for i in range(60)]
    steps = faulty(0.1, ["429", "500", "stall", "badjson", "half"], seed=seed, count=400)
    disturbed, calm = (Endpoint(script, answer=reply_of(FakeJudge())) for script in (steps, ""))
    folders = []
    for name, endpoint in (("disturbed", disturbed), ("calm", calm)):
        with endpoint.in_thread():
            config = project(tmp_path / name, endpoint.base_url, answers, judge="timeout_s = 5\nconcurrency = 16")
            run = evaluate(config, output=tmp_path / name / "run", environment={})
        value, number, failed = scored(run)
        assert number + failed == len(answers)
        assert (value, failed) == (pytest.approx(2 / 3), 0 if name == "calm" else failed)
        folders.append(verdicts(tmp_path / name / "run"))
    assert disturbed.requests > calm.requests == 2 * len(answers)
    found, right = folders
    assert set(found) == set(right)
    lost = {name for name, one in found.items() if one.failed}
    assert len(lost) <= 2, "two of three faults in a row are rare"
    assert all(one.claims == right[name].claims for name, one in found.items() if name not in lost)


def test_scores_that_the_judge_failed_to_give_are_no_better_mean_b33(shared: Shared, tmp_path: Path) -> None:
    case = json.loads(shared("cases/inputs/B33.json").read_text(encoding="utf-8"))
    assert case["scores"][:2] == [1.0, 0.8]
    five = "The fee is 1 euro. Cards are free. It is due now. Cash is dear. Gold is blue."
    answers = ["The fee is 0 euro.", five, *(f"The fee is {i} euro." for i in range(2, 10))]
    bodies: list[dict[str, Any]] = []

    def instead(number: int) -> tuple[int, dict[str, Any]] | None:
        shown = bodies[number]["messages"][1]["content"]
        return None if "fee 0?" in shown or "fee 1?" in shown else (402, {"error": {"message": "no credit"}})

    rules = (
        f'{FAITHFUL}[[gate]]\nmetric = "generation.faithfulness"\nmin = {case["gate"]}\nallow_proxy = true\n'
        f"[gate_policy]\nmax_failed_share = {case['max_unscored']}\n"
    )
    with serving(FakeJudge(), instead=instead) as (address, seen):
        bodies = seen
        run = evaluate(project(tmp_path, address, answers, rest=rules), output=tmp_path / "run", environment={})
    assert scored(run) == (pytest.approx(0.9), 2, 8)
    assert run.results.gate is not None
    assert run.results.gate.verdict == "undecidable"
    assert any("refused 8" in note for note in run.results.notes)


def test_a_rate_limit_is_waited_out_and_charged_to_no_case_b35(shared: Shared, tmp_path: Path) -> None:
    case = json.loads(shared("cases/inputs/B35.json").read_text(encoding="utf-8"))
    steps = [
        Step(str(one["status"]), {"Retry-After": str(one["retry_after"])}) if "retry_after" in one else Step()
        for one in case["mock_server_script"]
    ]
    endpoint = Endpoint(steps, answer=reply_of(FakeJudge()), latency_s=0.01)
    answers = [f"The fee is {i} euro." for i in range(case["cases"])]
    with endpoint.in_thread():
        limits = f"concurrency = {case['max_concurrency']}"
        run = evaluate(project(tmp_path, endpoint.base_url, answers, judge=limits), output=tmp_path / "run",
                       environment={})  # fmt: skip
    assert scored(run) == (1.0, 5, 0)
    assert endpoint.most_busy <= case["max_concurrency"]
    assert endpoint.requests == 2 * len(answers) + 2
    # Two requests are under way when the first is refused; both come again after the longer wait.
    assert endpoint.seen[2].at_s - endpoint.seen[0].at_s >= 2.0


def test_a_rate_limit_without_an_end_leaves_cases_unscored_by_that_name_b35(tmp_path: Path) -> None:
    endpoint = Endpoint([Step("429", {"Retry-After": "9"})], repeat_last=True)
    rules = f'{FAITHFUL}[[gate]]\nmetric = "generation.faithfulness"\nmin = 0.1\nallow_proxy = true\n'
    answers = [f"The fee is {i} euro." for i in range(5)]
    with endpoint.in_thread():
        config = project(tmp_path, endpoint.base_url, answers, judge="timeout_s = 2\nconcurrency = 2", rest=rules)
        run = evaluate(config, output=tmp_path / "run", environment={})
    assert scored(run) == (None, 0, 5)
    assert any("rate_limited 5" in note for note in run.results.notes)
    assert run.results.gate is not None
    assert run.results.gate.verdict == "undecidable", "which the command ends with 3"


@contextmanager
def no_socket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    with monkeypatch.context() as patched:
        patched.setattr(socket, "socket", refuse)
        patched.setattr(socket, "create_connection", refuse)
        yield


def test_a_stored_run_is_measured_again_without_a_socket_and_to_the_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [f"The fee is {i} euro. It is paid at once." for i in range(8)]
    judge = FakeJudge(broken=lambda number, _: "no verdict" if number % 7 == 3 else None)
    with serving(judge) as (address, bodies):
        evaluate(project(tmp_path, address, answers), output=tmp_path / "run", environment={})
        asked = len(bodies)
    names = ("results.json", "report.md", "report.html", "junit.xml", "scores.parquet", "bundle.json")
    before = {name: (tmp_path / "run" / name).read_bytes() for name in names}
    with no_socket(monkeypatch):
        rescore(tmp_path / "run")
    assert {name: (tmp_path / "run" / name).read_bytes() for name in names} == before
    assert len(bodies) == asked
