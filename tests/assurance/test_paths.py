"""Case B55: ids are data; none of them becomes a path."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.assurance.harness import CONFIGURATION, write_project

from ragtriage.core.errors import BadInput
from ragtriage.runs.store import RunStore
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.folder import DERIVED


def everything(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[list[str]], Path]:
    """Make a project of recorded traces whose cases have these ids."""

    def make(ids: list[str]) -> Path:
        folder = tmp_path / "deep" / "project"
        write_project(folder, cases=1)
        golden = [{"case_id": name, "question": f"{place}?"} for place, name in enumerate(ids)]
        traces = [
            {"trace_id": f"t{place}", "case_id": name, "question": f"{place}?", "answer": {"text": f"answer {place}"}}
            for place, name in enumerate(ids)
        ]
        (folder / "golden" / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in golden))
        (folder / "traces.jsonl").write_text("".join(json.dumps(trace) + "\n" for trace in traces))
        text = CONFIGURATION.replace('python = "counting_rag:answer"', 'traces = "traces.jsonl"')
        (folder / "ragtriage.toml").write_text(text)
        return folder

    return make


def test_case_b55_no_id_writes_outside_the_run_folder_and_all_stay_apart(
    tmp_path: Path, recorded: Callable[[list[str]], Path], shared: Callable[[str], Path]
) -> None:
    ids = json.loads(shared("cases/inputs/B55.json").read_text())["ids"]
    good = [name for name in ids if "\0" not in name and len(name) <= 256]
    project = recorded(good)
    before = everything(tmp_path)
    evaluate(project / "ragtriage.toml", output=project / "run", environment={})
    made = everything(tmp_path) - before
    assert made == {"deep/project/run"} | {f"deep/project/run/{name}" for name in ("run.sqlite", *DERIVED)}
    with RunStore.open(project / "run") as store:
        answers = {name: trace.answer.text for name, trace in store.traces() if trace.answer is not None}
    assert answers == {name: f"answer {place}" for place, name in enumerate(good)}
    assert len({"A", "a"} & set(answers)) == 2


def test_case_b55_ids_that_are_none_are_refused_on_reading(
    recorded: Callable[[list[str]], Path], shared: Callable[[str], Path]
) -> None:
    ids = json.loads(shared("cases/inputs/B55.json").read_text())["ids"]
    project = recorded(ids)
    with pytest.raises(BadInput) as refused:
        evaluate(project / "ragtriage.toml", output=project / "run", environment={})
    lines = [str(fault) for fault in refused.value.faults]
    assert len(lines) == 2
    assert "cases.jsonl:7: 'case_id' must not hold control or invisible characters" in lines[0]
    assert "cases.jsonl:10: 'case_id'" in lines[1]
    assert "256" in lines[1]
    assert not (project / "run").exists()
