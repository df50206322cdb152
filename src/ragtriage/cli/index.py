"""`ragtriage index`: record what a run measures of an index: how fresh it is, what it finds, how its vectors drift."""

from __future__ import annotations

from pathlib import Path

import click

from ragtriage.cli._numbers import FiniteRange
from ragtriage.cli._options import Output, output_options

__all__ = ["command"]

_UNDECIDED, _UNAVAILABLE = 3, 5


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
    import sys  # noqa: PLC0415 - a command loads what it needs when it runs
    from contextlib import redirect_stdout  # noqa: PLC0415

    from ragtriage.workflows.border_sample import as_lines, check_free, draw_borders  # noqa: PLC0415

    if output.file is not None:
        check_free(Path(output.file))
    with redirect_stdout(sys.stderr):  # what the system prints while it is loaded is no result
        sample = draw_borders(config, count=count, seed=seed)
    output.put(as_lines(sample))
    output.say(f"{len(sample.labels)} of {sample.borders:,} borders; fill 'reasonable' with true or false in each line")
    return 0


@command.command()
@click.argument("index", metavar="INDEX_TOML", type=click.Path(path_type=Path))
@click.option(
    "--markers", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="Write so many."
)
@click.option(
    "--deadline", type=FiniteRange(min=0, max=86_400, min_open=True), default=60, show_default=True, metavar="S",
    help="Search so many seconds for each change, then give it up.",
)  # fmt: skip
@click.option(
    "--pause", type=FiniteRange(min=0, max=86_400), default=0.05, show_default=True, metavar="S",
    help="Seconds between searches.",
)  # fmt: skip
@click.option(
    "--agreeing", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
    help="Searches in a row that must show a change: more than 1 for an index with replicas.",
)  # fmt: skip
@click.option(
    "-o", "--output", "file", type=click.Path(path_type=Path), required=True, metavar="FILE", help="Record it there."
)
@output_options("table", "json", default="table", file=None)
def freshness(
    index: Path, *, markers: int, deadline: float, pause: float, agreeing: int, file: Path, output: Output
) -> int:
    """Measure how long the index that INDEX_TOML describes takes to show a document and to forget a deleted one.

    Writes marker documents, searches until each is found, deletes it, searches until it is gone. [ingest] changes names
    FILE for a run. Exit code: 0, 2 bad input, 3 every change was refused, 4 storage, 5 the index is not reached or a
    marker may be left in it.
    """
    import os  # noqa: PLC0415 - when it runs
    import sys  # noqa: PLC0415

    from ragtriage.cli._drawing import drawn  # noqa: PLC0415
    from ragtriage.cli._progress import Bar, Lines  # noqa: PLC0415
    from ragtriage.report.escaping import one_line  # noqa: PLC0415
    from ragtriage.runs.freshness import Polling  # noqa: PLC0415
    from ragtriage.workflows.index_changes import as_json, as_table, notes_on, record_changes  # noqa: PLC0415

    attended = sys.stderr.isatty() and not os.environ.get("CI")
    found = record_changes(
        index,
        file,
        environment=os.environ,
        markers=markers,
        polling=Polling(deadline_s=deadline, pause_s=pause, agreeing=agreeing),
        warn=lambda text: click.echo(f"ragtriage: WARNING: {one_line(text)}", err=True),  # however quiet
        progress=None if output.quiet else Bar(doing="measuring") if attended else Lines(what="markers"),
    )
    output.put(as_json(found) if output.form == "json" else drawn([as_table(found)], color=output.colored))
    for note in (*notes_on(found, markers=markers), f"wrote {file}"):
        output.say(one_line(note))
    if found.left_behind:
        return _UNAVAILABLE
    return 0 if found.measured else _UNDECIDED
