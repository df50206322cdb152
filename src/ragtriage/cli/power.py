"""`ragtriage power`: how many cases a change needs to be seen."""

from __future__ import annotations

import click

from ragtriage.cli._numbers import FiniteRange
from ragtriage.cli._options import Output, output_options

__all__ = ["command"]


@click.command()
@click.option("-m", "--metric", required=True, metavar="METRIC", help="A metric of the run: retrieval.recall@4.")
@click.option("--from", "run", type=click.Path(), default="runs/latest", show_default=True, metavar="RUN")
@click.option("--and", "other", type=click.Path(), metavar="RUN", help="A run of another version: the spread of pairs.")
@click.option(
    "--effect", type=FiniteRange(), metavar="X", help="The difference that has to be seen, in the metric's unit."
)
@click.option("--power", "wanted", type=FiniteRange(0, 1, min_open=True, max_open=True), default=0.8)
@output_options("text", "json", default="text")
def command(*, metric: str, run: str, other: str | None, effect: float | None, wanted: float, output: Output) -> int:
    """Say which difference of METRIC the cases of a run can show, and how many cases a difference needs.

    Two-sided at 5 % error, normal approximation. Exit code: 0, 2 bad input, 4 storage.
    """
    import json  # noqa: PLC0415 - a command loads what it needs when it runs
    from dataclasses import asdict  # noqa: PLC0415

    from ragtriage.workflows.power import power  # noqa: PLC0415

    found = power(metric, run=run, other=other, effect=effect, wanted=wanted)
    output.put(
        json.dumps(asdict(found), ensure_ascii=False, indent=2) + "\n" if output.form == "json" else f"{found}\n"
    )
    return 0
