"""`review.jsonl`: what a run lists for people to label, and how their labels flow back into calibration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.judge import FakeJudge
from tests.fakes.judge_server import serving
from tests.workflows.projects import write_project

from ragtriage.core.errors import BadInput
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.single import check_item
from ragtriage.models.ports import ChatRequest
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.judge_calibrate import calibrate
from ragtriage.workflows.labels import LabelledItem, read_labels
from ragtriage.workflows.rescore import rescore

RISKS = ("critical", "high", "medium", "low", None, "low")
CLAIMS = '[metrics]\ninclude = ["generation.*", "context.*"]\n'
METRICS = '[metrics]\ninclude = ["generation.*", "context.*", "system.rubric_score"]\n'


def project(folder: Path, judge: str, *, metrics: str = METRICS, abstained: bool | None = False) -> Path:
    cases, traces = [], []
    for i, risk in enumerate(RISKS):
        question = f"What is fee {i}?"
        case = {"case_id": f"c{i}", "question": question, "language": "en",
                "expected": {"answer": f"The fee is {i} euro.", "nuggets": [{"text": f"{i} euro"}]}}  # fmt: skip
        cases.append(case | ({"risk": risk} if risk else {}))
        answer = {"text": f"The fee is {i} euro. It is paid at once."}
        context = [{"id": "p1", "doc_id": "d1", "text": f"The fee is {i} euro."}]
        traces.append({"trace_id": f"t{i}", "case_id": f"c{i}", "question": question, "context": context,
                       "answer": answer | ({} if abstained is None else {"abstained": abstained})})  # fmt: skip
    documents = [{"doc_id": "d1", "text": "The fee is 1 euro."}]
    return write_project(
        folder, documents=documents, cases=cases, traces=traces, settings=f"[judge]\n{judge}\n{metrics}"
    )


def model_at(address: str, rest: str = "") -> str:
    return f'model = "openai/fake"\nbase_url = "{address}"\ncache = ""\ncriteria = "Is short."\n{rest}'


def listed(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "review.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_verdicts_of_risky_cases_are_listed_with_all_that_a_person_needs(tmp_path):
    def sure(rubric: str, reply: dict[str, Any]) -> None:
        if rubric == "rubric_score":
            reply["grade"] = 5

    with serving(FakeJudge(change=sure)) as (address, _):
        config = project(tmp_path, model_at(address), abstained=None)
        evaluate(config, output=tmp_path / "run", environment={})
    found = listed(tmp_path / "run")
    assert {one["case_id"] for one in found} == {"c0", "c1"}
    assert {one["rubric"] for one in found} == {
        "claim_support", "claim_correctness", "abstention", "nugget_assignment", "context_relevance", "rubric_score",
    }  # fmt: skip
    first = next(one for one in found if one["rubric"] == "claim_support" and "0 euro" in one["claim"])
    assert first["label"] == ""
    assert (first["judge_label"], first["context"], first["question"]) == (
        "supported", "The fee is 0 euro.", "What is fee 0?",
    )  # fmt: skip
    assert first["quotes"] == ["p1: The fee is 0 euro."]
    assert first["why"] == ["the case is of critical risk"]
    assert first["options"] == ["supported", "contradicted", "not_in_context"]
    assert (first["language"], first["slice"]) == ("en", {"kind": "lookup", "risk": "critical"})
    assert len({one["id"] for one in found}) == len(found)
    for one in found:
        item = LabelledItem.model_validate_json(json.dumps(one))
        assert check_item(RUBRICS[one["rubric"]], item.asked()) is None
        assert one["judge_label"] in one["options"]


def test_what_judges_disagree_on_what_was_asked_twice_and_what_lies_between_is_listed(tmp_path):
    def broken(_: int, request: ChatRequest) -> str | None:
        if request.schema_name != "claim_support" or "fee 3?" not in request.messages[-1].content:
            return None
        seen.append(request)
        return "no verdict" if len(seen) == 1 else None

    seen: list[ChatRequest] = []
    judge = FakeJudge(broken=broken)  # grades 4 of 5 where it is not told otherwise

    def middle(rubric: str, reply: dict[str, Any]) -> None:
        if rubric == "rubric_score":
            reply["grade"] = 3

    judge.change = middle
    with serving(judge) as (address, bodies):
        answer = judge.complete

        async def by_model(request: ChatRequest) -> Any:
            judge.change = other if bodies[-1]["model"] == "second" else middle
            return await answer(request)

        def other(rubric: str, reply: dict[str, Any]) -> None:
            for one in reply["verdicts"] if rubric == "claim_support" else ():
                if one["evidence"] and "QX" not in one["evidence"][0]["quote"]:
                    one.update(label="not_in_context", evidence=[])

        judge.complete = by_model
        config = project(tmp_path, model_at(address, 'second_model = "openai/second"\nconcurrency = 1'))
        evaluate(config, output=tmp_path / "run", environment={})
    found = listed(tmp_path / "run")
    why = {(one["case_id"], one["rubric"], one.get("claim")): one["why"] for one in found}
    assert why["c0", "claim_support", "The fee is 0 euro."][0] == "two judges disagree"
    disputed = [one["why"][0] == "two judges disagree" for one in found]
    assert disputed == sorted(disputed, reverse=True)
    assert why["c3", "claim_support", "It is paid at once."] == ["the judge's first reply was no verdict"]
    assert why["c5", "rubric_score", None] == ["3.00 lies near the middle"]
    assert not any(case == "c5" and rubric == "claim_support" for case, rubric, _ in why)


def test_a_filled_list_goes_straight_back_and_empty_lines_are_counted(tmp_path):
    with serving(FakeJudge()) as (address, _):
        config = project(tmp_path, model_at(address))
        evaluate(config, output=tmp_path / "run", environment={})
        file = tmp_path / "run" / "review.jsonl"
        rows = listed(tmp_path / "run")
        claims = [one for one in rows if one["rubric"] == "claim_support"]
        assert len(claims) >= 4
        for one in claims[:3]:
            one["label"] = one["judge_label"]
        file.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
        read = read_labels(file, "claim_support")
        assert (len(read.items), read.waiting, read.others) == (3, len(claims) - 3, len(rows) - len(claims))
        record = calibrate(file, rubric="claim_support", judge="model", config=config)
        assert (record.overall.items, record.overall.failed, record.waiting) == (3, 0, len(claims) - 3)
        assert record.overall.agreement == 1.0
        with pytest.raises(BadInput, match="no item has a label"):
            calibrate(file, rubric="nugget_assignment", judge="model", config=config)
        before = file.read_bytes()
        rescore(tmp_path / "run")
        assert sorted(json.loads(x)["label"] for x in file.read_text().splitlines()) == sorted(x["label"] for x in rows)
        rescore(tmp_path / "run")
        assert json.loads(before.splitlines()[0]) in listed(tmp_path / "run")
        (config.parent / "golden" / "cases.jsonl").write_text(
            (config.parent / "golden" / "cases.jsonl").read_text().replace('"risk": "critical"', '"risk": "low"')
        )
        evaluate(config, output=tmp_path / "run", environment={})
        assert {one["id"] for one in claims[:3]} <= {one["id"] for one in listed(tmp_path / "run")}


def test_a_file_that_was_broken_while_labelling_stops_a_new_run_before_anything_is_lost(tmp_path):
    with serving(FakeJudge()) as (address, bodies):
        config = project(tmp_path, model_at(address))
        evaluate(config, output=tmp_path / "run", environment={})
        file = tmp_path / "run" / "review.jsonl"
        file.write_text(file.read_text() + '{"id": "x", "lable": "supported"}\n{"id"\n')
        asked, lines = len(bodies), len(file.read_text().splitlines())
        config.write_text(config.read_text().replace("Is short.", "Is long."))
        with pytest.raises(BadInput) as caught:
            evaluate(config, output=tmp_path / "run", environment={})
        assert sorted(fault.line for fault in caught.value.faults) == [lines - 1, lines]
        assert (len(bodies), (tmp_path / "run" / "results.json").exists()) == (asked, True)


def test_the_judge_of_code_lists_what_it_can_be_measured_by_and_nothing_leaves_no_file(tmp_path):
    config = project(tmp_path / "risky", 'code = "lexical"', metrics=CLAIMS)
    evaluate(config, output=tmp_path / "run", environment={})
    found = listed(tmp_path / "run")
    assert {one["rubric"] for one in found} == {"claim_support"}
    for one in found:
        assert one["case_id"] in {"c0", "c1"} or 0.4 <= one["judge_score"] <= 0.6
    labels = tmp_path / "labels.jsonl"
    labels.write_text("".join(json.dumps(one | {"label": one["judge_label"]}) + "\n" for one in found))
    assert calibrate(labels, rubric="claim_support", judge="lexical").overall.items == len(found)
    config = project(tmp_path / "none", 'code = "none"', metrics=CLAIMS)
    evaluate(config, output=tmp_path / "other", environment={})
    assert not (tmp_path / "other" / "review.jsonl").exists()
