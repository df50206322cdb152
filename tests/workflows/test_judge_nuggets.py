"""`ragtriage judge nuggets`: nuggets come from the reference and its evidence, into a copy that can be evaluated by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.fakes.judge import FakeJudge, shown_to
from tests.fakes.judge_server import serving
from tests.workflows.projects import write_project

from ragtriage.cli.judge import command
from ragtriage.core.errors import BadInput
from ragtriage.data.golden import read_golden
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.judge_nuggets import write_nuggets

DOCUMENT = "The fee is 1 percent. It is never less than 300 tenge. Cards are blue."
RETRIEVED = "Something that only the system retrieved."


def project(folder: Path, address: str) -> Path:
    evidence = [{"doc_id": "d1", "start": 22, "end": 54}]
    cases = [
        {"case_id": "c1", "question": "What is the fee?", "evidence": evidence,
         "expected": {"answer": "The fee is 1 percent."}},
        {"case_id": "c2", "question": "And?", "evidence": evidence,
         "expected": {"answer": "x", "nuggets": [{"text": "by people", "importance": "okay"}]}},
        {"case_id": "c3", "question": "Who?", "expected": {"behaviour": "abstain"}},
    ]  # fmt: skip
    traces = [
        {"trace_id": c["case_id"], "case_id": c["case_id"], "question": c["question"],
         "context": [{"id": "k1", "text": RETRIEVED}], "answer": {"text": "The fee is 1 percent.", "abstained": False}}
        for c in cases
    ]  # fmt: skip
    settings = (
        f'[judge]\nmodel = "openai/fake"\nbase_url = "{address}"\ncache = ""\n'
        '[metrics]\ninclude = ["generation.nugget_recall(kind=all)"]\n'
    )
    return write_project(folder, documents=[{"doc_id": "d1", "text": DOCUMENT}], cases=cases, traces=traces,
                         settings=settings)  # fmt: skip


def test_nuggets_are_written_from_reference_and_evidence_alone_and_measured_by(tmp_path: Path) -> None:
    judge = FakeJudge()
    with serving(judge) as (address, _):
        config, copy = project(tmp_path, address), tmp_path / "copy"
        options = ["nuggets", "-c", str(config), "-o", str(copy)]
        done = CliRunner().invoke(command, options, catch_exceptions=False)
        assert done.exit_code == 0
        assert "2 nuggets for 1 of 1 cases, failed 0" in done.stderr
        shown = [s["text"] for r in judge.requests for s in shown_to(r).get("SOURCES", [])]
        assert "The fee is 1 percent." in shown
        assert "It is never less than 300 tenge." in shown
        assert RETRIEVED not in "".join(shown)
        first, second, third = read_golden(copy).cases
        assert [n.text for n in first.expected.nuggets] == ["The fee is 1 percent.", "It is never less than 300 tenge."]
        assert [n.text for n in second.expected.nuggets] == ["by people"]
        assert third.expected.nuggets == ()
        (record,) = [json.loads(line) for line in (copy / "nuggets.jsonl").read_text().splitlines()]
        assert record["rubrics"]["nugget_creation"] == RUBRICS["nugget_creation"].identity
        assert [q[0]["source"] for q in record["quotes"]] == ["reference", "d1"]
        run = evaluate(config, golden=copy, output=tmp_path / "run", environment={})
        assert run.results.row("generation.nugget_recall(kind=all)").value == pytest.approx((0.5 + 0) / 2)


def test_a_case_whose_nuggets_could_not_be_read_is_counted_and_keeps_none(tmp_path: Path) -> None:
    def invent(name: str, reply: dict[str, Any]) -> None:
        if name == "nugget_creation":
            reply["items"][0]["evidence"][0]["quote"] = "what no source says"

    with serving(FakeJudge(change=invent)) as (address, _):
        found = write_nuggets(project(tmp_path, address), tmp_path / "copy")
    assert (found.asked, found.cases, found.failed) == (1, 0, 1)
    assert "bad_quote" in (tmp_path / "copy" / "nuggets.jsonl").read_text()


def test_no_folder_is_overwritten_and_the_judge_must_be_a_model(tmp_path: Path) -> None:
    config = project(tmp_path, "http://127.0.0.1:9/v1")
    with pytest.raises(BadInput, match="not empty"):
        write_nuggets(config, tmp_path / "golden")
    with pytest.raises(BadInput, match="lexical"):
        write_nuggets(config, tmp_path / "new", judge="lexical")
    assert not (tmp_path / "new").exists()
