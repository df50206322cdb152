"""The reference pages say what the code says."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.docs.walks import DOCS

from ragtriage.cli._reference import command, commands_page
from ragtriage.cli.main import ragtriage_command
from ragtriage.core.configuration import Configuration, SystemSettings
from ragtriage.core.errors import RagtriageError
from ragtriage.workflows.metrics import metric_names
from ragtriage.workflows.reference import COMMAND, pages, stale
from ragtriage.workflows.reference_records import records_within
from ragtriage.workflows.schema import schema_of


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    return pages(commands_page())


def test_no_reference_page_is_stale(written: dict[str, str]) -> None:
    changed = stale(DOCS / "reference", written)
    assert not changed, f"docs/reference: {', '.join(changed)} changed; run `{COMMAND}`"


def test_a_page_that_is_changed_by_hand_is_written_again(tmp_path: Path, written: dict[str, str]) -> None:
    run = CliRunner().invoke(command, [str(tmp_path)])
    assert run.exit_code == 0
    assert stale(tmp_path, written) == []
    (tmp_path / "cli.md").write_text("# Command line\n")
    (tmp_path / "old.md").write_text("# Gone\n")
    assert stale(tmp_path, written) == ["cli.md", "old.md"]
    again = CliRunner().invoke(command, [str(tmp_path)])
    assert [Path(line).name for line in again.output.splitlines()] == ["cli.md", "old.md"]
    assert stale(tmp_path, written) == []


def test_every_command_and_option_is_there(written: dict[str, str]) -> None:
    page = written["cli.md"]

    def check(found: click.Command, path: str, context: click.Context) -> int:
        if isinstance(found, click.Group):
            inner = [(name, found.get_command(context, name)) for name in found.list_commands(context)]
            return sum(check(one, f"{path} {name}", click.Context(one, parent=context)) for name, one in inner if one)
        start = page.index(f"## {path}\n")
        section = page[start : page.find("\n## ", start + 1)]
        shown = [name for option in found.params if isinstance(option, click.Option) for name in option.opts]
        assert [name for name in shown if name not in section] == []
        return 1

    assert check(ragtriage_command, "ragtriage", click.Context(ragtriage_command)) > 10


def test_every_key_of_the_configuration_says_what_it_decides(written: dict[str, str]) -> None:
    page = written["configuration.md"]
    for model in records_within([Configuration]):
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name}"
            assert f"| `{name}` |" in page or f"| [`{name}`](" in page


def test_every_metric_has_its_card(written: dict[str, str]) -> None:
    for name in metric_names():
        page = written[f"metrics/{name.partition('.')[0]}.md"]
        start = page.index(f"## {name}\n")
        section = page[start : page.find("\n## ", start + 1)]
        for fact in ("range", "unit", "better", "over cases", "undefined", "source"):
            assert f"| {fact} |" in section, name
        assert "```pycon\n>>> " in section, name


def test_what_depends_on_time_is_marked(written: dict[str, str]) -> None:
    lines = written["results.md"].splitlines()
    assert "| `run_id` | text | required | depends on time |" in lines
    assert any(line.startswith("| `metrics` |") and "`system.latency_p95`" in line for line in lines)


def test_every_exit_code_is_explained(written: dict[str, str]) -> None:
    def codes(error: type[RagtriageError]) -> set[int]:
        return {error.exit_code}.union(*(codes(inner) for inner in error.__subclasses__()))

    lines = written["exit-codes.md"].splitlines()
    listed = {
        int(line.split("|")[1]) for line in lines if line.startswith("| ") and line.split("|")[1].strip().isdigit()
    }
    assert listed == codes(RagtriageError) | {0, 1}


def test_the_schema_carries_the_same_words() -> None:
    schema = schema_of("configuration")
    assert schema["$defs"]["SystemSettings"]["properties"]["context_size"]["description"] == (
        SystemSettings.model_fields["context_size"].description
    )
