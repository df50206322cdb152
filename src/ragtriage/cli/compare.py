"""`ragtriage compare`: two runs on the same golden set, case by case."""

from __future__ import annotations

import click

from ragtriage.cli._options import Output, output_options

__all__ = ["command"]


@click.command()
@click.argument("base", type=click.Path())
@click.argument("candidate", type=click.Path())
@output_options("text", "md", "json", default="text", verbose="Every metric and slice that moved, not the surest alone")
def command(*, base: str, candidate: str, output: Output) -> int:
    """Compare the run CANDIDATE with the run BASE, paired, per metric and slice.

    Differences are candidate - base over the cases that both scored, with 95 % bootstrap interval and the p of a
    randomisation test, adjusted by Holm. Exit code: 0, 2 bad input, 3 the runs used different golden sets, 4 storage.
    """
    from ragtriage.workflows.compare import compare  # noqa: PLC0415 - a command loads what it needs when it runs
    from ragtriage.workflows.compare_output import drawn_json, drawn_markdown, drawn_text  # noqa: PLC0415

    found = compare(base, candidate)
    if output.form == "json":
        output.put(drawn_json(found))
    else:
        draw = drawn_markdown if output.form == "md" else drawn_text
        output.put(draw(found, every=output.verbose))
    return 0
