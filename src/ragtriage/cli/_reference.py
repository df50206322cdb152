"""Write the reference pages: `python -m ragtriage.cli._reference docs/reference`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from ragtriage.cli.main import ragtriage_command

__all__ = ["command", "commands_page"]


def commands_page() -> str:
    """Return the page of the command line: every command with its arguments and options."""
    parts = [
        "# Command line",
        "stdout is the result, stderr the progress. `-h` after any command says what stands here.",
        "[Exit codes](exit-codes.md) mean the same for every command.",
    ]
    root = click.Context(ragtriage_command, info_name="ragtriage", **ragtriage_command.context_settings)
    for name in ragtriage_command.list_commands(root):
        found = ragtriage_command.get_command(root, name)
        if found is not None:
            parts += _described(found, click.Context(found, info_name=name, parent=root))
    return "\n\n".join(parts)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def command(folder: Path) -> None:
    """Write the reference pages into FOLDER and name those that changed."""
    from ragtriage.workflows.reference import pages, write_pages  # noqa: PLC0415 - loaded where it is done

    for name in write_pages(folder, pages(commands_page())):
        click.echo(folder / name)


def _described(found: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the description of a command, or of each command of a group."""
    if isinstance(found, click.Group):
        for name in found.list_commands(context):
            inner = found.get_command(context, name)
            if inner is not None:
                yield from _described(inner, click.Context(inner, info_name=name, parent=context))
        return
    from ragtriage.workflows.reference_records import cell, code_cell, prose, table  # noqa: PLC0415

    usage = " ".join([context.command_path, *found.collect_usage_pieces(context)])
    yield f"## {context.command_path}"
    yield f"```text\n{usage}\n```"
    for paragraph in inspect.cleandoc(found.help or "").split("\n\n"):
        kept = paragraph.removeprefix("\b\n")  # click's sign for lines that are not to be joined
        yield prose(paragraph) if kept == paragraph else f"```text\n{kept}\n```"
    records = [option.get_help_record(context) for option in found.params]
    rows = [[code_cell(record[0]), cell(record[1])] for record in records if record is not None and record[1]]
    if rows:
        yield table(["option", "what it does"], rows)


if __name__ == "__main__":
    command()
