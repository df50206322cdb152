"""Going on with a run whose judge was not always to be had."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.judge import FakeJudge
from tests.fakes.judge_server import serving
from tests.workflows.projects import write_project

from ragtriage.runs.store import RunStore
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.preview import preview

CASES = 6
METRICS = ("generation.faithfulness", "generation.completeness")


def project(folder: Path, address: str) -> Path:
    cases, traces = [], []
    for i in range(CASES):
        question = f"What is fee {i}?"
        cases.append({"case_id": f"c{i}", "question": question, "evidence": [{"doc_id": "d1"}]})
        text = f"The fee is {i} euro. It is paid at once."
        context = [{"id": "d1", "doc_id": "d1", "text": f"The fee is {i} euro."}]
        traces.append({"trace_id": f"t{i}", "case_id": f"c{i}", "question": question, "context": context,
                       "answer": {"text": text, "abstained": False}})  # fmt: skip
    judge = f'[judge]\nmodel = "openai/fake"\nbase_url = "{address}"\ncache = ""\n'
    settings = f"{judge}[metrics]\ninclude = {json.dumps(METRICS)}\n"
    documents = [{"doc_id": "d1", "text": "The fee is 1 euro."}]
    return write_project(folder, documents=documents, cases=cases, traces=traces, settings=settings)


class Refusing:
    """Answers 402 to one question of one case, as an endpoint whose credit has run out, until it is mended."""

    def __init__(self, rubric: str, words: str) -> None:
        self.rubric, self.words = rubric, words
        self.mended = False
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, number: int) -> tuple[int, dict[str, Any]] | None:
        body = self.bodies[number]
        asked = body["response_format"]["json_schema"]["name"]
        if self.mended or asked != self.rubric or self.words not in body["messages"][1]["content"]:
            return None
        return 402, {"error": {"message": "no credit"}}


def scores(run: Any) -> list[tuple[float | None, int, int]]:
    return [(row.value, row.scored, row.failed) for row in map(run.results.row, METRICS)]


@pytest.mark.parametrize("rubric", ["claim_support", "claim_extraction", "completeness"])
def test_a_verdict_that_the_endpoint_failed_to_bring_is_asked_for_again_and_nothing_else_is(
    tmp_path: Path, rubric: str
) -> None:
    refusing = Refusing(rubric, "fee 3")
    with serving(FakeJudge(), instead=refusing) as (address, bodies):
        refusing.bodies = bodies
        config = project(tmp_path, address)
        run = evaluate(config, output=tmp_path / "run", environment={})
        lost = METRICS.index("generation.completeness" if rubric == "completeness" else "generation.faithfulness")
        assert scores(run)[lost][1:] == (CASES - 1, 1)
        assert preview(config, resume=tmp_path / "run").to_judge == 1
        refusing.mended = True
        before = len(bodies)
        whole = evaluate(config, resume=tmp_path / "run", environment={})
        asked = [body["response_format"]["json_schema"]["name"] for body in bodies[before:]]
        assert asked == (["claim_extraction", "claim_support"] if rubric == "claim_extraction" else [rubric])
        assert [row[1:] for row in scores(whole)] == [(CASES, 0), (CASES, 0)]
        undisturbed = evaluate(config, output=tmp_path / "other", environment={})
    assert scores(whole) == scores(undisturbed)
    with RunStore.open(tmp_path / "run") as one, RunStore.open(tmp_path / "other") as other:
        assert dict(one.verdicts()) == dict(other.verdicts())
    assert preview(config, resume=tmp_path / "run").to_judge == 0


def test_a_reply_that_was_no_verdict_stays_counted_and_is_not_paid_for_again(tmp_path: Path) -> None:
    def broken(_: int, request: Any) -> str | None:
        about = request.schema_name == "claim_support" and "fee is 3 euro" in request.messages[-1].content
        return "no verdict" if about else None

    with serving(FakeJudge(broken=broken)) as (address, bodies):
        config = project(tmp_path, address)
        assert scores(evaluate(config, output=tmp_path / "run", environment={}))[0] == (0.5, CASES - 1, 1)
        before = len(bodies)
        assert scores(evaluate(config, resume=tmp_path / "run", environment={}))[0] == (0.5, CASES - 1, 1)
        assert len(bodies) == before


def test_an_answer_whose_verdict_failed_is_judged_again_without_asking_the_system(tmp_path: Path) -> None:
    asked: list[str] = []

    def system(question: Any) -> dict[str, Any]:
        asked.append(question.case_id)
        return {
            "answer": f"The {question.text.split()[-2]} is 1 euro. It is due.",
            "context": [{"id": "d1", "doc_id": "d1", "text": "The fee is 1 euro."}],
        }

    refusing = Refusing("claim_support", "fee 3")
    with serving(FakeJudge(), instead=refusing) as (address, bodies):
        refusing.bodies = bodies
        config = project(tmp_path, address)
        given = {"system": system, "environment": {}}
        assert scores(evaluate(config, output=tmp_path / "run", **given))[0][2] == 1
        refusing.mended = True
        assert scores(evaluate(config, resume=tmp_path / "run", **given))[0][2] == 0
    assert sorted(asked) == [f"c{i}" for i in range(CASES)]
