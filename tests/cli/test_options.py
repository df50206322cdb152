"""The options that every command has mean the same everywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ragtriage.cli.main import ragtriage_command


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from commands(found, (*path, name))
        else:
            yield " ".join((*path, name)), found


COMMANDS = dict(commands(ragtriage_command))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_options_that_all_share(name: str) -> None:
    known = {form for parameter in COMMANDS[name].params for form in parameter.opts}
    assert {"-o", "--output", "--format", "--quiet", "-v", "--verbose", "--color", "--version"} <= known
    result = CliRunner().invoke(ragtriage_command, [*name.split(), "-h"])
    assert result.exit_code == 0
    assert "-h, --help" in result.output
    version = CliRunner().invoke(ragtriage_command, [*name.split(), "--version"])
    assert (version.exit_code, version.output[:9]) == (0, "ragtriage")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_format_that_does_not_exist_is_bad_usage_or_named(name: str) -> None:
    words = [*name.split(), "--format", "no-such"]
    arguments = {"completion": ["bash"], "rank": ["qrels", "run"], "compare": ["base", "candidate"]}
    required = [p for p in COMMANDS[name].params if isinstance(p, click.Argument) and p.required]
    words += arguments.get(name, ["x"] * len(required))
    result = CliRunner().invoke(ragtriage_command, words, standalone_mode=False)
    assert result.exception is not None
    assert "no-such" in str(result.exception) or "ragtriage.toml" in str(result.exception)


def test_an_error_says_where_in_the_code_it_arose_when_that_is_asked_for(tmp_path: object) -> None:
    plain = CliRunner().invoke(ragtriage_command, ["report", f"{tmp_path}/none"], standalone_mode=False)
    told = CliRunner().invoke(ragtriage_command, ["report", f"{tmp_path}/none", "-v"], standalone_mode=False)
    assert str(plain.exception) == str(told.exception)
    assert "Traceback" not in plain.stderr
    assert "Traceback" in told.stderr
    assert "workflows/run.py" in told.stderr


def test_a_file_that_was_written_is_named_on_stderr_unless_quiet(tmp_path: object) -> None:
    file = f"{tmp_path}/names.json"
    told = CliRunner().invoke(ragtriage_command, ["metrics", "-o", file], standalone_mode=False)
    assert (told.stdout, told.stderr) == ("", f"ragtriage: wrote {file}\n")
    quiet = CliRunner().invoke(ragtriage_command, ["metrics", "-o", file, "--quiet"], standalone_mode=False)
    assert quiet.output == ""
    with open(file) as stream:  # noqa: PTH123 - the suffix chose the form
        assert json.load(stream)[0]["name"]


def test_a_bound_that_is_no_number_holds_nothing_and_is_refused() -> None:
    refused = CliRunner().invoke(COMMANDS["judge calibrate"], ["--min-kappa", "nan"])
    assert refused.exit_code == 2
    assert "nan is no finite number" in refused.output


def test_a_full_disk_behind_the_output_is_a_storage_failure() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from ragtriage.cli.main import main; main()", "metrics"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 4
    assert "No space left" in done.stderr
