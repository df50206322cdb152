import json

from click.testing import CliRunner
from tests.workflows.test_compare import run_of

from ragtriage.cli.power import command


def test_the_command_says_what_can_be_seen_and_what_is_needed(tmp_path):
    run = run_of(tmp_path, range(6))
    shown = CliRunner().invoke(command, ["-m", "retrieval.recall@4", "--from", str(run.folder), "--effect", "0.1"])
    assert shown.exit_code == 0
    assert shown.output.startswith("retrieval.recall@4: 12 cases show a difference of 0.597 or more")
    assert "for a difference of 0.1 429 cases are needed" in shown.output
    options = ["-m", "retrieval.recall@4", "--from", str(run.folder), "--format", "json"]
    assert json.loads(CliRunner().invoke(command, options).output)["cases"] == 12
