import json

import pytest
from click.testing import CliRunner
from tests.workflows.projects import write_article

from ragtriage.cli.diagnose import command
from ragtriage.workflows.diagnose import diagnose
from ragtriage.workflows.evaluate import evaluate


@pytest.fixture(scope="module")
def article(tmp_path_factory):
    """The article's four queries, with the tenant as a plain field of the documents."""
    folder = tmp_path_factory.mktemp("article")
    return evaluate(write_article(folder, tenant_is_access=False), output=folder / "run")


def test_the_command_prints_the_waterfall_a_case_and_json(article, tmp_path):
    run = str(article.folder)
    whole = CliRunner().invoke(command, [run])
    assert (whole.exit_code, whole.output) == (0, diagnose(article).waterfall().replace(article.report().folder, run))
    told = CliRunner().invoke(command, [run, "--case", "q3", "--format", "json"])
    document = json.loads(told.output)
    assert document["result"]["diagnosis"]["leaf"] == "filter"
    assert document["trace"]["case_id"] == "q3"
    every = CliRunner().invoke(command, [run, "-v"])
    assert every.output == diagnose(article).waterfall(every=True).replace(article.report().folder, run)
    file = tmp_path / "causes.json"
    written = CliRunner().invoke(command, [run, "-o", str(file)])
    assert written.exit_code == 0
    assert json.loads(file.read_text())["counts"]["not_ok"] == 2
