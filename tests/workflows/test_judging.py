"""A whole evaluation with a model as judge: over HTTP, counted, stored, measured again without a call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.judge import FakeJudge
from tests.fakes.judge_server import serving
from tests.workflows.projects import write_project

from ragtriage.core.errors import BadInput, JudgeUnavailable
from ragtriage.runs.store import RunStore
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.gate import gate
from ragtriage.workflows.rescore import rescore

CASES = 12
FAITHFUL = '[metrics]\ninclude = ["generation.faithfulness"]\n'


def project(folder: Path, address: str, *, judge: str = "", rest: str = FAITHFUL) -> Path:
    cases, traces = [], []
    for i in range(CASES):
        question = f"What is fee {i}?"
        cases.append({"case_id": f"c{i}", "question": question, "evidence": [{"doc_id": "d1"}]})
        text = f"The fee is {i} euro. It is paid at once."
        context = [{"id": "d1", "doc_id": "d1", "text": f"The fee is {i} euro."}]
        answer = {"text": text, "abstained": False}
        traces.append({"trace_id": f"t{i}", "case_id": f"c{i}", "question": question, "context": context,
                       "answer": answer})  # fmt: skip
    settings = f'[judge]\nmodel = "openai/fake"\nbase_url = "{address}"\n{judge}\n{rest}'
    documents = [{"doc_id": "d1", "text": "The fee is 1 euro."}]
    return write_project(folder, documents=documents, cases=cases, traces=traces, settings=settings)


def run_of(config: Path, name: str = "run", **options: Any) -> Any:
    return evaluate(config, output=config.parent / name, environment={}, **options)


def test_a_run_is_judged_in_two_calls_a_case_and_measured_again_without_any(tmp_path):
    with serving(FakeJudge()) as (address, bodies):
        config = project(tmp_path, address)
        run = run_of(config)
        row = run.results.row("generation.faithfulness")
        assert (row.value, row.scored, row.failed, row.proxy) == (0.5, CASES, 0, True)
        assert len(bodies) == 2 * CASES
        before = (tmp_path / "run" / "results.json").read_bytes()
        rescore(tmp_path / "run")
        assert (tmp_path / "run" / "results.json").read_bytes() == before
        assert len(bodies) == 2 * CASES
        run_of(config, "other")
        assert len(bodies) == 2 * CASES, "the cache has every reply"
    with RunStore.open(tmp_path / "run") as store:
        assert len(store.judge_calls()) == 2 * CASES
    assert run.results.bundle["judge.model"] == "openai/fake" or "openai/fake" in json.dumps(run.results.bundle)


def test_what_the_judge_could_not_say_is_counted_and_never_averaged(tmp_path):
    def broken(number: int, request: Any) -> str | None:
        del number
        text = request.messages[-1].content
        return "no verdict" if request.schema_name == "claim_support" and "fee is 3 euro" in text else None

    with serving(FakeJudge(broken=broken)) as (address, _):
        run = run_of(project(tmp_path, address))
    row = run.results.row("generation.faithfulness")
    assert (row.value, row.scored, row.failed) == (0.5, CASES - 1, 1)
    assert any("invalid 1" in note for note in run.results.notes)


def test_rate_limits_and_errors_of_the_endpoint_leave_the_numbers_as_they_are(tmp_path):
    def instead(number: int) -> tuple[int, dict[str, Any]] | None:
        return {3: (429, {"error": {}}), 8: (500, {"error": {}}), 11: (503, {"error": {}})}.get(number)

    with serving(FakeJudge(), instead=instead) as (address, bodies):
        run = run_of(project(tmp_path, address))
    row = run.results.row("generation.faithfulness")
    assert (row.value, row.scored, row.failed) == (0.5, CASES, 0)
    assert len(bodies) == 2 * CASES + 3


def test_a_judge_that_is_not_there_ends_the_run(tmp_path):
    with pytest.raises(JudgeUnavailable):
        run_of(project(tmp_path, "http://127.0.0.1:9/v1", judge="timeout_s = 3"))


def test_a_model_that_changes_midway_leaves_the_gate_undecidable(tmp_path):
    judge = FakeJudge()

    def change(number: int) -> None:
        judge.served_model = "fake-1" if number < 12 else "fake-2"

    rules = f'{FAITHFUL}[[gate]]\nmetric = "generation.faithfulness"\nmin = 0.1\nallow_proxy = true\n'
    with serving(judge, instead=change) as (address, _):
        run = run_of(project(tmp_path, address, rest=rules))
    assert run.results.gate.verdict == "undecidable"
    assert "changed midway" in run.results.gate.rules[-1].reason
    assert gate(tmp_path / "run").verdict == "undecidable"


def test_a_gate_that_requires_calibration_has_no_verdict_without_one(tmp_path):
    rules = f'{FAITHFUL}[[gate]]\nmetric = "generation.faithfulness"\nmin = 0.1\nallow_proxy = true\n'
    with serving(FakeJudge()) as (address, _):
        run = run_of(project(tmp_path, address, judge="require_calibration = true", rest=rules))
        assert run.results.gate.verdict == "undecidable"
        assert run_of(project(tmp_path / "b", address, rest=rules)).results.gate.verdict == "pass"


@pytest.mark.parametrize(
    ("metric", "option"),
    [
        ("generation.response_relevancy", "model"),
        ("generation.completeness", "model"),
        ("generation.semantic_similarity", "embedding"),
        ("system.rubric_score", "criteria"),
    ],
)
def test_a_metric_that_needs_a_model_says_which_option_is_missing(tmp_path, metric, option):
    config = project(tmp_path, "http://x/v1", rest=f'[metrics]\ninclude = ["{metric}"]\n')
    text = config.read_text().replace('model = "openai/fake"\n', "").replace('base_url = "http://x/v1"\n', "")
    config.write_text(text)
    with pytest.raises(BadInput, match=rf"\[judge\] {option}"):
        run_of(config)
    config.write_text(text.replace(f'"{metric}"', f'"{metric.split(".")[0]}.*"'))
    assert metric in run_of(config).results.left_out


def test_a_killed_run_pays_for_nothing_twice(tmp_path):
    calls = [0]

    def instead(_: int) -> None:
        calls[0] += 1
        if calls[0] == 10:
            raise KeyError("the server dies")

    with serving(FakeJudge()) as (address, bodies):
        config = project(tmp_path, address, judge='cache = ""')
        run_of(config)
        with RunStore.open(tmp_path / "run", writable=True) as store:
            store._connection.execute("DELETE FROM cases")
            store._connection.execute("DELETE FROM verdicts")
        run_of(config, resume=tmp_path / "run")
        assert len(bodies) == 2 * CASES


def test_requests_for_support_are_graded_by_a_policy_and_without_one_the_option_is_named(tmp_path):
    metrics = '[metrics]\ninclude = ["generation.judged_escalation"]\n'
    with pytest.raises(BadInput, match=r"\[judge\] policy"):
        run_of(project(tmp_path / "a", "http://x/v1", rest=metrics))
    with serving(FakeJudge()) as (address, bodies):
        config = project(tmp_path / "b", address, judge='policy = "A person takes over at every fee."', rest=metrics)
        run = run_of(config)
    row = run.results.row("generation.judged_escalation")
    assert (row.value, row.scored, row.failed, row.proxy) == (0.0, CASES, 0, True)
    assert len(bodies) == CASES
