import json
import subprocess
import sys

import pytest
from click.testing import CliRunner
from tests.workflows.test_compare import run_of
from tests.workflows.test_gate import DROP, MIN, rules

from ragtriage.cli.gate import command

PROGRAM = "from ragtriage.cli.main import main; main()"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run that finds everything, and one that misses the Kazakh questions."""
    place = tmp_path_factory.mktemp("gates")
    return run_of(place / "base", range(12)), run_of(place / "candidate", range(6, 12))


@pytest.mark.parametrize(
    ("which", "line", "code", "word"),
    [(0, MIN, 0, "Pass: may ship"), (1, MIN, 1, "Fail: do not ship"), (0, DROP, 3, "Undecidable")],
)
def test_the_exit_code_says_pass_fail_or_undecidable(runs, which, line, code, word):
    arguments = ["gate", str(runs[which].folder), "-c", str(rules(runs[which], line))]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.startswith(word)


def test_a_baseline_decides_about_drops(runs):
    options = ["--baseline", str(runs[0].folder), "--format", "json"]
    shown = CliRunner().invoke(command, [str(runs[1].folder), "-c", str(rules(runs[1], DROP)), *options])
    assert json.loads(shown.output)["verdict"] == "fail"


def test_quiet_prints_nothing(runs):
    shown = CliRunner().invoke(command, [str(runs[0].folder), "-c", str(rules(runs[0], MIN)), "--quiet"])
    assert shown.output == ""


def test_the_decision_can_be_written_to_a_file(runs, tmp_path):
    file = tmp_path / "gate.json"
    shown = CliRunner().invoke(command, [str(runs[0].folder), "-c", str(rules(runs[0], MIN)), "-o", str(file)])
    assert "Pass: may ship" in shown.output
    assert json.loads(file.read_text())["rules"][0]["metric"] == "retrieval.recall@4"
