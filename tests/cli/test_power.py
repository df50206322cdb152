import json

import pytest
from click.testing import CliRunner
from tests.workflows.test_compare import run_of

from ragtriage.cli.power import command
from ragtriage.core.errors import BadInput


def test_the_command_says_what_can_be_seen_and_what_is_needed(tmp_path):
    run = run_of(tmp_path, range(6))
    shown = CliRunner().invoke(command, ["-m", "retrieval.recall@4", "--from", str(run.folder), "--effect", "0.1"])
    assert shown.exit_code == 0
    assert shown.output.startswith("retrieval.recall@4: 12 cases show a difference of 0.597 or more")
    assert "for a difference of 0.1 429 cases are needed" in shown.output
    options = ["-m", "retrieval.recall@4", "--from", str(run.folder), "--format", "json"]
    assert json.loads(CliRunner().invoke(command, options).output)["cases"] == 12


@pytest.mark.parametrize(("effect", "words"), [("nan", "no finite number"), ("inf", "no finite number"), ("0", "")])
def test_an_effect_that_is_no_number_or_nothing_is_refused(tmp_path, effect, words):
    run = run_of(tmp_path, range(6))
    options = ["-m", "retrieval.recall@4", "--from", str(run.folder), "--effect", effect]
    refused = CliRunner().invoke(command, options)
    assert refused.exit_code == 2 or isinstance(refused.exception, BadInput)
    assert words in refused.output


def test_an_effect_beyond_any_number_of_cases_is_refused(tmp_path):
    run = run_of(tmp_path, range(6))
    options = ["-m", "retrieval.recall@4", "--from", str(run.folder), "--effect", "1e-300"]
    assert "too small" in str(CliRunner().invoke(command, options).exception)
