"""`ragtriage eval` and `ragtriage rescore`: options and exit codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.assurance.harness import CONFIGURATION, write_project

from ragtriage.cli.main import main

Called = Callable[..., tuple[int, str, str]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project whose system answers everything, unless STEADY is taken away."""
    write_project(tmp_path / "project", cases=4)
    monkeypatch.setenv("DELAY_S", "0")
    monkeypatch.setenv("STEADY", "1")
    monkeypatch.setenv("CI", "1")
    before = list(sys.path)
    yield tmp_path / "project"
    sys.path[:] = before


@pytest.fixture
def ragtriage(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Called:
    """Call the command line and return exit code, stdout, stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragtriage", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return call


def configure(project: Path, old: str, new: str) -> None:
    path = project / "ragtriage.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_a_gate_that_passes_ends_0_with_the_result_on_stdout_and_the_progress_on_stderr(
    project: Path, ragtriage: Called
) -> None:
    code, out, err = ragtriage("eval", "-c", project / "ragtriage.toml", "-o", project / "run")
    assert code == 0
    assert "gate rule passes" in out
    assert "retrieval.recall@2" in out
    assert "ragtriage: 100 % (4 of 4)" in err
    assert "%" not in ragtriage("eval", "-c", project / "ragtriage.toml", "-o", project / "run", "--quiet")[2]


def test_a_case_that_contradicts_the_corpus_is_told_even_where_nothing_failed(project: Path, ragtriage: Called) -> None:
    lines = (project / "golden" / "cases.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    first["evidence"][0] |= {"quote": "no such words \u001b[31m"}
    (project / "golden" / "cases.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    _, _, err = ragtriage("eval", "-c", project / "ragtriage.toml", "-o", project / "run")
    assert "note: 1 of 4 golden cases are at fault themselves" in err
    assert f"({first['case_id']}: 'evidence.0" in err
    assert "\u001b" not in err
    assert "note:" not in ragtriage("rescore", project / "run", "-q")[2]


def test_what_the_system_prints_is_no_part_of_the_result(project: Path, ragtriage: Called) -> None:
    place = project / "counting_rag.py"
    place.write_text(f"{place.read_text()}\nprint('NOISE')\n")
    code, out, err = ragtriage("eval", "-c", project / "ragtriage.toml", "-o", project / "run", "--format", "json")
    assert (code, out.encode()) == (0, (project / "run" / "results.json").read_bytes())
    assert "NOISE" in err


EXITS = [
    ("min = 0.1", "min = 1.0", (), 1),
    ("min = 0.1", "min = 1.0", ("--no-gate",), 0),
    ("min = 0.1", "max_drop = 0.1", (), 3),
    ("min = 0.1", "mni = 0.1", (), 2),
    ("retrieval.ndcg@2", "retrieval.ndcgg@2", (), 2),
    ("counting_rag:answer", "counting_rag:anser", (), 5),
    ("counting_rag:answer", "counting_rga:answer", (), 5),
]


@pytest.mark.parametrize("case", EXITS, ids=lambda case: f"{case[1]} {' '.join(case[2])}")
def test_the_exit_code_says_what_came_of_it(
    project: Path, ragtriage: Called, case: tuple[str, str, tuple[str, ...], int]
) -> None:
    old, new, options, expected = case
    configure(project, old, new)
    code, _, err = ragtriage("eval", "-c", project / "ragtriage.toml", "-o", project / "run", "-q", *options)
    assert code == expected
    assert ("Did you mean" in err) == (expected in {2, 5} and "rga" not in new)


def test_too_many_failures_are_undecidable(project: Path, ragtriage: Called, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEADY")
    assert ragtriage("eval", "-c", project / "ragtriage.toml", "-o", project / "run", "-q")[0] == 3


def test_a_folder_that_cannot_be_written_is_a_storage_failure(project: Path, ragtriage: Called) -> None:
    (project / "file").touch()
    code, _, err = ragtriage("eval", "-c", project / "ragtriage.toml", "-o", project / "file" / "run")
    assert code == 4
    assert "Traceback" not in err


def test_a_missing_configuration_is_bad_input(ragtriage: Called, tmp_path: Path) -> None:
    code, _, err = ragtriage("eval", "-c", tmp_path / "none.toml")
    assert code == 2
    assert "none.toml" in err


def test_a_dry_run_prints_the_plan_and_asks_nothing(project: Path, ragtriage: Called) -> None:
    code, out, _ = ragtriage(
        "eval", "-c", project / "ragtriage.toml", "-o", project / "run", "--dry-run", "--limit", 3, "--repeat", 2
    )
    assert code == 0
    assert out.endswith("3 cases, 6 questions, 0 of them answered already\nwould ask 6\n")
    assert "system.python: counting_rag:answer" in out
    assert not (project / "asked.log").exists()


def test_a_condition_a_limit_and_a_baseline_are_options(project: Path, ragtriage: Called) -> None:
    configure(project, "min = 0.1", "max_drop = 0.1")
    base, config = project / "base", project / "ragtriage.toml"
    assert ragtriage("eval", "-c", config, "-o", base, "-q", "--no-gate")[0] == 0
    code, out, _ = ragtriage("eval", "-c", config, "-o", project / "run", "-q", "--baseline", base)
    assert code in {0, 3}
    assert "drop" in out
    code, out, _ = ragtriage(
        "eval", "-c", config, "-o", project / "part", "-q", "--no-gate", "--where", "language = 'kk'", "-v"
    )
    assert code == 0
    assert "2 cases" in out


def test_a_changed_plan_is_refused_with_the_difference_and_exit_2(project: Path, ragtriage: Called) -> None:
    config, run = project / "ragtriage.toml", project / "run"
    ragtriage("eval", "-c", config, "-o", run, "-q")
    configure(project, "resamples = 100", "resamples = 200")
    code, _, err = ragtriage("eval", "-c", config, "--resume", run, "-q")
    assert code == 2
    assert "settings.run.resamples: 100 -> 200" in err


def test_the_result_is_printed_in_the_format_asked_for_and_written_where_asked(
    project: Path, ragtriage: Called
) -> None:
    config, run = project / "ragtriage.toml", project / "run"
    assert ragtriage("eval", "-c", config, "-o", run, "-q", "--format", "jsn")[0] == 2
    assert not (project / "asked.log").exists()
    code, out, _ = ragtriage("eval", "-c", config, "-o", run, "-q", "--format", "json")
    assert (code, out.encode()) == (0, (run / "results.json").read_bytes())
    code, out, err = ragtriage("rescore", run, "--format", "md", "-o", project / "again.md")
    assert (code, out, err) == (0, "", f"ragtriage: wrote {project / 'again.md'}\n")
    assert (project / "again.md").read_bytes() == (run / "report.md").read_bytes()
    plan = json.loads(ragtriage("eval", "-c", config, "-o", run, "--dry-run", "--format", "json")[1])
    assert (plan["questions"], plan["to_ask"]) == (4, 4)


def test_scoring_again_says_the_same_and_has_the_same_exit_code(project: Path, ragtriage: Called) -> None:
    first = ragtriage("eval", "-c", project / "ragtriage.toml", "-o", project / "run", "-q")
    assert ragtriage("rescore", project / "run")[:2] == first[:2]
    code, _, err = ragtriage("rescore", project / "nothing")
    assert code == 2
    assert "holds no run" in err


def test_colour_is_there_only_when_it_is_asked_for(project: Path, ragtriage: Called) -> None:
    options = ("eval", "-c", project / "ragtriage.toml", "-o", project / "run", "-q", "--color")
    assert "\x1b[" in ragtriage(*options, "always")[1]
    assert "\x1b[" not in ragtriage(*options, "auto")[1]


def test_no_key_is_needed_and_the_help_names_every_option(ragtriage: Called) -> None:
    assert CONFIGURATION
    code, out, _ = ragtriage("eval", "--help")
    assert code == 0
    for option in ("--resume", "--limit", "--where", "--repeat", "--jobs", "--dry-run", "--no-gate", "--baseline"):
        assert option in out


def test_the_quickstart_runs_as_the_readme_says(
    root: Path, ragtriage: Called, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    before = list(sys.path)
    code, out, _ = ragtriage("eval", "-c", "examples/quickstart/ragtriage.toml", "-o", tmp_path / "run", "-q")
    sys.path[:] = before
    assert code in {0, 1, 3}
    assert "5 cases" in out
