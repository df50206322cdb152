"""`ragtriage completion`: the script that it prints completes in a real shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from ragtriage.cli.main import ragtriage_command


def printed(*words: str) -> str:
    result = CliRunner().invoke(ragtriage_command, ["completion", *words], standalone_mode=False)
    assert result.exception is None
    return result.stdout


@pytest.fixture
def path_with_ragtriage(tmp_path: Path) -> str:
    """A PATH on which `ragtriage` is this code's command."""
    program = tmp_path / "bin" / "ragtriage"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom ragtriage.cli.main import main\nmain()\n")
    program.chmod(0o755)
    return f"{program.parent}{os.pathsep}{os.environ['PATH']}"


def completed_by_bash(line: str, path: str) -> tuple[list[str], str]:
    """Type a line in bash and press TAB after its last word."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    script = (
        'eval "$(ragtriage completion bash)"\n'
        "COMP_WORDS=($1); [[ $1 == *' ' ]] && COMP_WORDS+=('')\n"
        "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
        "_ragtriage_completion ragtriage\n"
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [bash, "--norc", "-c", script, "bash", line],
        capture_output=True, text=True, check=True, env={**os.environ, "PATH": path},
    )  # fmt: skip
    return done.stdout.split(), done.stderr


def test_bash_completes_commands_options_and_choices(path_with_ragtriage: str) -> None:
    assert completed_by_bash("ragtriage ev", path_with_ragtriage) == (["eval"], "")
    assert completed_by_bash("ragtriage eval --no-g", path_with_ragtriage) == (["--no-gate"], "")
    assert completed_by_bash("ragtriage completion ", path_with_ragtriage) == (["bash", "zsh", "fish"], "")


def test_bash_completes_nothing_and_says_nothing_after_an_unknown_command(path_with_ragtriage: str) -> None:
    assert completed_by_bash("ragtriage evil --no", path_with_ragtriage) == ([], "")


def test_completing_ends_well(path_with_ragtriage: str) -> None:
    asked = {"_RAGTRIAGE_COMPLETE": "fish_complete", "COMP_WORDS": "ragtriage gol", "COMP_CWORD": "gol"}
    environment = {**os.environ, **asked, "PATH": path_with_ragtriage}
    done = subprocess.run(["ragtriage"], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout.partition("\t")[0], done.stderr) == (0, "plain,golden", "")


@pytest.mark.parametrize(("shell", "begins"), [("zsh", "#compdef ragtriage"), ("fish", "function _ragtriage")])
def test_other_shells_get_their_own_script(shell: str, begins: str) -> None:
    assert printed(shell).strip().startswith(begins)


def test_it_writes_to_a_file(tmp_path: Path) -> None:
    assert printed("fish", "-o", str(tmp_path / "fish" / "ragtriage.fish")) == ""
    assert "ragtriage" in (tmp_path / "fish" / "ragtriage.fish").read_text()


def test_an_unknown_shell_is_bad_usage() -> None:
    result = CliRunner().invoke(ragtriage_command, ["completion", "powershell"])
    assert result.exit_code == 2
    assert "powershell" in result.stderr
