"""`ragtriage init`: write a project that runs."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command()
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path())
@click.option(
    "--template",
    type=click.Choice(["python", "http", "traces", "bank", "beir"]),
    help="python (default): a pipeline of your own. http: an endpoint. traces: recorded answers. bank: the shipped"
    " example. beir: a folder of a public data set.",
)
@click.option("--from", "source", type=click.Path(), metavar="FOLDER", help="The BEIR folder to make the project from.")
@click.option("--dense", is_flag=True, help="With beir: search by vectors too, not by BM25 alone.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing where it went well.")
def command(*, folder: str, template: str | None, source: str | None, dense: bool, quiet: bool) -> None:
    """Write a project into DIR, the current folder unless another is named: corpus, golden set, ragtriage.toml.

    Nothing that exists is overwritten: where a file is in the way nothing is written, and the exit code is 2.
    """
    from ragtriage.report.escaping import one_line  # noqa: PLC0415 - a command loads what it needs when it runs
    from ragtriage.workflows.init import init  # noqa: PLC0415

    started = init(folder, template=template, source=source, dense=dense)
    if quiet:
        return
    lines = [f"wrote to {started.folder}:", *(f"  {file}" for file in started.files)]
    lines += [f"note: {note}" for note in started.notes]
    lines += ["", "Next:", *(f"  {line}" for line in started.commands)]
    click.echo("\n".join("" if not line else line[: len(line) - len(line.lstrip())] + one_line(line) for line in lines))
