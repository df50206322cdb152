"""`ragtriage rescore`: metrics again from stored records, no call to any system or model."""

from __future__ import annotations

import click

from ragtriage.cli._options import Output, output_options

__all__ = ["command"]


@click.command()
@click.argument("run", type=click.Path())
@click.option("--baseline", type=click.Path(), metavar="RUN", help="The run that drops are measured against.")
@click.option("--no-gate", is_flag=True, help="Measure alone; decide nothing.")
@output_options(file="Write what is printed there.", verbose="Print every metric, not the worst alone")
def command(*, run: str, baseline: str | None, no_gate: bool, output: Output) -> int:
    """Measure a stored RUN again and write its results anew; nothing is asked.

    Works on interrupted runs too. Exit code: 0 passed or no gate, 1 gate failed, 2 no run there, 3 undecidable or the
    corpus has changed, 4 storage.
    """
    from ragtriage.cli._summary import check_form, tell  # noqa: PLC0415 - loaded where it is done
    from ragtriage.workflows.rescore import rescore  # noqa: PLC0415

    check_form(output.form)
    return tell(rescore(run, baseline=baseline, gate=not no_gate), output)
