"""`ragtriage rescore`: metrics again from stored records, no call to any system or model."""

from __future__ import annotations

import click

__all__ = ["command"]

_EXIT = {"pass": 0, "fail": 1, "undecidable": 3}


@click.command()
@click.argument("run", type=click.Path())
@click.option("--baseline", type=click.Path(), metavar="RUN", help="The run that drops are measured against.")
@click.option("--no-gate", is_flag=True, help="Measure alone; decide nothing.")
def command(*, run: str, baseline: str | None, no_gate: bool) -> int:
    """Measure a stored RUN again and write its results anew; nothing is asked.

    Works on interrupted runs too. Exit code: 0 passed or no gate, 1 gate failed, 2 no run there, 3 undecidable or the
    corpus has changed, 4 storage.
    """
    from ragtriage.report.formats.terminal import terminal  # noqa: PLC0415 - loaded where it is done
    from ragtriage.workflows.rescore import rescore  # noqa: PLC0415

    found = rescore(run, baseline=baseline, gate=not no_gate)
    click.echo(terminal(found.report()), nl=False)
    gate = found.results.gate
    return 0 if gate is None else _EXIT[gate.verdict]
