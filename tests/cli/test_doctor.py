"""`ragtriage doctor` as it is typed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ragtriage.cli.main import ragtriage_command
from ragtriage.workflows.init import init


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(ragtriage_command, ["doctor", *map(str, words)], standalone_mode=False)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A project in order."""
    init(tmp_path / "mine")
    return tmp_path / "mine" / "ragtriage.toml"


def test_an_installation_in_order_ends_0() -> None:
    result = run()
    assert result.return_value == 0
    assert "installation\n  ok      core" in result.stdout
    assert "\x1b" not in result.stdout


def test_a_configuration_in_order_ends_0(config: Path) -> None:
    result = run("-c", config)
    assert result.return_value == 0
    assert "3 documents" in result.stdout


def test_something_missing_ends_2_in_each_format(config: Path) -> None:
    shutil.rmtree(config.parent / "golden")
    text, document = run("-c", config), run("-c", config, "--format", "json")
    assert (text.return_value, document.return_value) == (2, 2)
    assert "  fault   settings" in text.stdout
    assert json.loads(document.stdout)["ok"] is False


def test_quiet_prints_nothing_where_nothing_is_wrong(config: Path) -> None:
    assert run("-c", config, "-q").output == ""


def test_quiet_prints_what_is_wrong_alone(config: Path) -> None:
    (config.parent / "my_rag.py").write_text("answer = 1\n")
    result = run("-c", config, "--quiet")
    assert result.return_value == 2
    assert [line.split()[:2] for line in result.stdout.splitlines() if line.startswith("  ")] == [["fault", "system"]]


def test_what_the_system_prints_while_it_is_imported_is_no_result(config: Path) -> None:
    pipeline = config.parent / "my_rag.py"
    pipeline.write_text("print('loading my model')\n" + pipeline.read_text())
    result = run("-c", config, "--format", "json")
    assert json.loads(result.stdout)["ok"] is True
    assert "loading my model" in result.stderr


def test_it_writes_to_a_file_without_colours(tmp_path: Path) -> None:
    result = run("-o", tmp_path / "doctor.txt", "--color", "always")
    assert result.stdout == ""
    assert "\x1b" not in (tmp_path / "doctor.txt").read_text()


def test_colour_is_beside_the_word() -> None:
    assert "\x1b[32mok     \x1b[0m core" in run("--color", "always").stdout


def test_text_under_test_does_not_steer_the_terminal(config: Path) -> None:
    text = config.read_text()
    config.write_text(text.replace('path = "golden"', 'path = "gol\\u001b[2Jden"'))
    result = run("-c", config)
    assert result.return_value == 2
    assert "\x1b" not in result.stdout


def test_nothing_is_asked_over_a_network(tmp_path: Path) -> None:
    init(tmp_path / "web", template="http")
    program = (
        "import sys\n"
        "def watch(event, _):\n"
        "    if event.startswith('socket.') and event != 'socket.gethostname':\n"
        "        sys.stderr.write(f'{event}\\n')\n"
        "sys.addaudithook(watch)\n"
        "from ragtriage.cli.main import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program, "doctor", "-c", str(tmp_path / "web" / "ragtriage.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
