"""`ragtriage report`: draw a stored run again."""

from __future__ import annotations

import click

from ragtriage.cli._options import Output, output_options

__all__ = ["command"]


@click.command()
@click.argument("run", type=click.Path())
@click.option(
    "-o",
    "--output",
    "files",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="Write to FILE as its suffix says: .html .md .json .xml (JUnit) .csv .parquet .prom .tex .txt. Repeatable.",
)
@click.option(
    "--baseline", type=click.Path(), metavar="BASE", help="Set the run beside this one: what got worse, what better."
)
@output_options(file=None, verbose="Print every metric, not the worst alone")
def command(*, run: str, files: tuple[str, ...], baseline: str | None, output: Output) -> int:
    """Draw the report of a stored RUN: to each FILE, or the summary to the terminal when none is named.

    Neither the system, the corpus nor a judge is asked. Exit code: 0, 2 bad input, 3 BASE used another golden set,
    4 storage.
    """
    from ragtriage.cli._summary import check_form, shown  # noqa: PLC0415 - loaded where it is done
    from ragtriage.workflows.report import report  # noqa: PLC0415
    from ragtriage.workflows.run import Run  # noqa: PLC0415

    check_form(output.form)
    found = report(run, files=files, baseline=baseline)
    if output.form is not None or not files:
        output.put(shown(Run(found), output))
    for file in files:
        output.say(f"wrote {file}")
    return 0
