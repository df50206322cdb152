"""Row 9: a run is continued by the same plan alone; each thing that makes a number is changed in turn."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.assurance.harness import Project, write_project

from ragtriage.core.errors import PlanChanged
from ragtriage.core.results import Results
from ragtriage.runs.store import RunStore
from ragtriage.workflows.evaluate import evaluate


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


CHUNK = '{"chunk_id": "d0#0", "doc_id": "d0", "start": 0, "end": 8, "text": "Document"}\n'

CHANGES: dict[str, tuple[str, Callable[[Project], object], dict[str, Any]]] = {
    "a document": ("corpus", lambda p: edit(p.folder / "corpus/documents.jsonl", "says 0", "said 0"), {}),
    "a case": ("golden", lambda p: edit(p.folder / "golden/cases.jsonl", "0th time", "0th  time"), {}),
    "fewer cases": ("cases", lambda _: None, {"limit": 2}),
    "chosen cases": ("cases", lambda _: None, {"where": "language = 'kk'"}),
    "the system's code": (
        "system.code",
        lambda p: edit(p.folder / "counting_rag.py", '"score": 0.5', '"score": 0.4'),
        {},
    ),
    "the system's name": (
        "system.python",
        lambda p: edit(p.configuration, "counting_rag:answer", "counting_rag:other"),
        {},
    ),
    "the context size": (
        "settings.system.context_size",
        lambda p: edit(p.configuration, "context_size = 2", "context_size = 3"),
        {},
    ),
    "the time-out": (
        "settings.system.timeout_s",
        lambda p: edit(p.configuration, "context_size = 2", "context_size = 2\ntimeout_s = 7.0"),
        {},
    ),
    "the metrics": ("metrics", lambda p: edit(p.configuration, '"retrieval.ndcg@2", ', ""), {}),
    "the slices": ("settings.slices.by", lambda p: edit(p.configuration, 'by = ["language"]', 'by = ["kind"]'), {}),
    "the resamples": ("settings.run.resamples", lambda p: edit(p.configuration, "= 100", "= 200"), {}),
    "the seed": ("settings.run.seed", lambda p: edit(p.configuration, "[run]", "[run]\nseed = 1"), {}),
    "the repeats": ("settings.run.repeat", lambda _: None, {"repeat": 2}),
    "the judge": ("judge.code", lambda p: edit(p.configuration, "[slices]", '[judge]\ncode = "none"\n[slices]'), {}),
    "what is ok": (
        "settings.expect.answer",
        lambda p: edit(p.configuration, "[slices]", "[expect]\nanswer = 0.7\n[slices]"),
        {},
    ),
    "the overlap": (
        "settings.golden.min_overlap",
        lambda p: edit(p.configuration, 'path = "golden"', 'path = "golden"\nmin_overlap = 0.9'),
        {},
    ),
    "the lock file": ("lock", lambda p: (p.folder / "uv.lock").write_text("numpy"), {}),
    "the chunks": (
        "chunks",
        lambda p: (
            edit(p.configuration, "context_size = 2", 'context_size = 2\nchunks = "chunks.jsonl"'),
            (p.folder / "chunks.jsonl").write_text(CHUNK),
        ),
        {},
    ),
}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, library: Path) -> Project:
    """A project with a run in it."""
    folder = tmp_path_factory.mktemp("done") / "project"
    write_project(folder, cases=3)
    evaluate(folder / "ragtriage.toml", output=folder / "run", environment={})
    return Project(folder, library)


@pytest.fixture
def begun(done: Project, tmp_path: Path) -> Iterator[Project]:
    """A copy of it that a test may change."""
    shutil.copytree(done.folder, tmp_path / "project")
    before = list(sys.path)
    yield Project(tmp_path / "project", done.library)
    sys.path[:] = before


@pytest.mark.parametrize("what", CHANGES)
def test_a_run_is_not_continued_when_something_changed(what: str, begun: Project) -> None:
    field, change, options = CHANGES[what]
    asked = begun.asked()
    change(begun)
    with pytest.raises(PlanChanged, match=rf"(?m)^  {field}(\.\w+)?: .* -> "):
        evaluate(begun.configuration, resume=begun.folder / "run", environment={}, **options)
    assert begun.asked() == asked
    assert (begun.folder / "run" / "results.json").exists()


def test_every_field_of_the_bundle_counts(begun: Project, figure: Callable[[int, str], None]) -> None:
    with RunStore.open(begun.folder / "run") as store:
        plan = store.plan
    for name in plan.bundle:
        for other in ({**plan.bundle, name: "changed"}, {k: v for k, v in plan.bundle.items() if k != name}):
            with pytest.raises(PlanChanged, match=rf"(?m)^  {name}: "):
                plan.check_same(replace(plan, bundle=other), folder="run")
    results = Results.model_validate_json((begun.folder / "run" / "results.json").read_text())
    assert results.bundle == plan.bundle
    figure(9, f"{len(plan.bundle)} fields of the bundle and {len(CHANGES)} real changes: all refused, field by field")


def test_gate_limits_and_the_number_of_jobs_are_no_change(begun: Project) -> None:
    edit(begun.configuration, "min = 0.1", "min = 0.2")
    asked = begun.asked()
    run = evaluate(begun.configuration, resume=begun.folder / "run", jobs=1, environment={})
    assert run.results.gate is not None
    assert run.results.gate.rules[0].limit == 0.2
    assert len(begun.asked()) == len(asked)
