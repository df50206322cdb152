"""`ragtriage power`: how many cases a change needs to be seen."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command()
@click.option("-m", "--metric", required=True, metavar="METRIC", help="A metric of the run: retrieval.recall@4.")
@click.option("--from", "run", type=click.Path(), default="runs/latest", show_default=True, metavar="RUN")
@click.option("--and", "other", type=click.Path(), metavar="RUN", help="A run of another version: the spread of pairs.")
@click.option("--effect", type=float, metavar="X", help="The difference that has to be seen, in the metric's unit.")
@click.option("--power", "wanted", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.8)
def command(*, metric: str, run: str, other: str | None, effect: float | None, wanted: float) -> int:
    """Say which difference of METRIC the cases of a run can show, and how many cases a difference needs.

    Two-sided at 5 % error, normal approximation. Exit code: 0, 2 bad input, 4 storage.
    """
    from ragtriage.workflows.power import power  # noqa: PLC0415 - a command loads what it needs when it runs

    click.echo(str(power(metric, run=run, other=other, effect=effect, wanted=wanted)))
    return 0
