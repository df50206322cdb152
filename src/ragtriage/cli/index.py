"""`ragtriage index`: record what a run measures of an index: how fresh it is, what it finds, how its vectors drift."""

from __future__ import annotations

from pathlib import Path

import click

from ragtriage.cli._options import Output, output_options

__all__ = ["command"]


@click.group()
def command() -> None:
    """Record what an index does, in the files that [ingest] of a run names."""


@command.command()
@click.option(
    "-c", "--config", type=click.Path(path_type=Path), default="ragtriage.toml", show_default=True, metavar="FILE",
    help="Names the corpus and the system.",
)  # fmt: skip
@click.option(
    "--count", type=click.IntRange(min=1), default=60, show_default=True, help="How many, where there are so many."
)
@click.option("--seed", type=click.IntRange(min=0), help="Equal seeds draw equal borders; [run] seed unless given.")
@output_options("jsonl", default="jsonl", file="Write there; a file that holds labels is not overwritten.")
def borders(config: Path, *, count: int, seed: int | None, output: Output) -> int:
    """Draw borders between the chunks of the configured system, to be labelled by a person.

    Of each border the line shows the text before and after it. Fill `reasonable` with true or false: is this a
    reasonable place to cut? [ingest] borders names the file for ingest.boundary_quality. The system is loaded where it
    is Python, and never asked. Exit code: 0, 2 bad input, 4 storage, 5 the system cannot be loaded.
    """
    from ragtriage.workflows.border_sample import as_lines, check_free, draw_borders  # noqa: PLC0415 - when it runs

    if output.file is not None:
        check_free(Path(output.file))
    sample = draw_borders(config, count=count, seed=seed)
    output.put(as_lines(sample))
    output.say(f"{len(sample.labels)} of {sample.borders:,} borders; fill 'reasonable' with true or false in each line")
    return 0
