import json
import subprocess
import sys

import pytest
from click.testing import CliRunner
from tests.workflows.test_compare import run_of

from ragtriage.cli.compare import command
from ragtriage.workflows.compare import compare


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run that finds everything, and one that misses the Kazakh questions."""
    place = tmp_path_factory.mktemp("runs")
    return run_of(place / "base", range(12)), run_of(place / "candidate", range(6, 12))


def test_the_command_writes_text_markdown_and_json(runs, tmp_path):
    base, candidate = (str(run.folder) for run in runs)
    shown = CliRunner().invoke(command, [base, candidate])
    assert shown.exit_code == 0
    assert "retrieval.recall@4" in shown.output
    assert CliRunner().invoke(command, [base, candidate, "--format", "md"]).output == compare(*runs).to_markdown()
    for suffix in ("json", "md", "txt"):
        assert CliRunner().invoke(command, [base, candidate, "-o", str(tmp_path / f"x.{suffix}")]).exit_code == 0
    document = json.loads((tmp_path / "x.json").read_text())
    recall = [row for row in document["rows"] if row["metric"] == "retrieval.recall@4"]
    assert [row["difference"] for row in recall] == [-0.5, -1.0, 0.0]
    assert (tmp_path / "x.md").read_text() == compare(*runs).to_markdown()
    assert (tmp_path / "x.txt").read_text() == shown.output


def test_different_golden_sets_end_with_exit_code_3(runs, tmp_path):
    other = run_of(tmp_path, range(12), question="When")
    program = "from ragtriage.cli.main import main; main()"
    arguments = ["compare", str(runs[0].folder), str(other.folder)]
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert "different golden sets" in done.stderr
