"""What holds for every command: exit codes, hints, and a terminal that obeys nobody's data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-c", "from ragtriage.cli.main import main; main()"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, check=False)


def test_an_unknown_command_names_the_nearest() -> None:
    done = run("evl")
    assert done.returncode == 2
    assert "Did you mean 'eval'?" in done.stderr


def test_an_unknown_option_is_a_usage_error() -> None:
    assert run("eval", "--no-such-option").returncode == 2


@pytest.mark.parametrize("option", ["-h", "--help", "--version"])
def test_asking_for_help_or_version_ends_well(option: str) -> None:
    done = run(option)
    assert done.returncode == 0
    assert done.stdout


def test_a_reader_that_went_away_is_no_verdict_of_the_gate(tmp_path: Path) -> None:
    qrels, rank = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 d 1\n")
    rank.write_text("q Q0 d 1 1 r\n")
    code = "import sys; sys.argv = ['ragtriage', *sys.argv[1:]]\nfrom ragtriage.cli.main import main; main()"
    command = [sys.executable, "-c", code, "rank", str(qrels), str(rank)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdout is not None
        child.stdout.close()
        assert child.wait(timeout=60) == 4


def test_a_message_that_quotes_a_file_does_not_steer_the_terminal(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('[golden]\npath = "x"\n"\\u001b[31mred" = 1\n')
    done = run("eval", "-c", str(bad), "-o", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
