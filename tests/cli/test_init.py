"""`ragtriage init` as it is typed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ragtriage.cli.main import ragtriage_command
from ragtriage.core.errors import BadInput


def run(*words: str) -> Result:
    return CliRunner().invoke(ragtriage_command, list(words), standalone_mode=False)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_prints_every_file_and_the_two_commands_that_come_next(here: Path) -> None:
    result = run("init", "new", "--template", "traces")
    assert result.exception is None
    written = re.findall(r"^  (\S+\.\S+)$", result.stdout.partition("Next:")[0], re.MULTILINE)
    assert sorted(written) == sorted(str(p.relative_to(here / "new")) for p in (here / "new").rglob("*") if p.is_file())
    commands = [line.strip() for line in result.stdout.partition("Next:\n")[2].splitlines()]
    assert len(commands) == 2
    for command in commands:  # typed as they stand
        program, *words = shlex.split(command)
        assert program == "ragtriage"
        done = run(*words)
        assert done.exception is None, command
        assert done.return_value in (0, None)
    assert (here / "new" / "runs" / "latest" / "results.json").exists()


def test_without_a_folder_it_is_the_current_one(here: Path) -> None:
    run("init", "--quiet")
    assert (here / "my_rag.py").exists()
    assert run("eval", "--quiet").return_value == 0
    assert (here / "runs" / "latest" / "results.json").exists()


def test_as_json_it_names_the_same_files(here: Path) -> None:
    told = json.loads(run("init", "mine", "--format", "json").stdout)
    written = [path.relative_to(here / "mine") for path in (here / "mine").rglob("*") if path.is_file()]
    assert sorted(told["files"]) == sorted(map(str, written))


def test_quiet_prints_nothing() -> None:
    assert run("init", "new", "-q").output == ""


def test_what_exists_is_bad_input(here: Path) -> None:
    run("init")
    (here / "my_rag.py").write_text("mine\n")
    result = run("init")
    assert isinstance(result.exception, BadInput)
    assert result.exception.exit_code == 2
    assert "my_rag.py: exists already" in str(result.exception)
    assert (here / "my_rag.py").read_text() == "mine\n"


def test_an_unknown_template_is_bad_usage(here: Path) -> None:
    result = CliRunner().invoke(ragtriage_command, ["init", "--template", "bnak"])
    assert result.exit_code == 2
    assert "bank" in result.stderr
    assert list(here.iterdir()) == []
