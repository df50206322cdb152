"""`ragtriage report`: draw a stored run again."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command()
@click.argument("run", type=click.Path())
@click.option(
    "-o",
    "files",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="Write to FILE as its suffix says: .html .md .json .xml (JUnit) .csv .parquet .prom .tex .txt. Repeatable.",
)
@click.option("--format", "name", metavar="NAME", help="Write this format (md, json, csv, ...) to stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Do not name the files that were written.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def command(*, run: str, files: tuple[str, ...], name: str | None, quiet: bool, color: str) -> int:
    """Draw the report of a stored RUN: to each FILE, or the summary to the terminal when none is named.

    Neither the system, the corpus nor a judge is asked. Exit code: 0, 2 bad input, 4 storage.
    """
    from ragtriage.cli._drawing import summary  # noqa: PLC0415 - loaded where it is done
    from ragtriage.core.errors import UnknownName  # noqa: PLC0415
    from ragtriage.workflows.report import draw, format_names, report  # noqa: PLC0415

    if name is not None and name not in format_names():
        raise UnknownName(name, known=format_names(), what="report format")
    found = report(run, files=files)
    if name is not None:
        click.echo(draw(found, name), nl=False)
    elif not files:
        click.echo(summary(found, color=color), nl=False)
    if not quiet:
        for file in files:
            click.echo(f"ragtriage: wrote {file}", err=True)
    return 0
