"""`ragtriage labels`: hold what a detector found in texts against what people labelled."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from ragtriage.cli._drawing import drawn
from ragtriage.cli._options import Output, output_options

__all__ = ["command"]

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("gold", type=_FILE)
@click.argument("found", type=_FILE, required=False)
@click.option("--detector", metavar="NAME", help="In place of FOUND: code, py3langid, presidio:MODEL.")
@click.option(
    "--mode",
    type=click.Choice(["strict", "lenient"]),
    default="strict",
    show_default=True,
    help="How tags become spans: by IOB2, or with an I- that opens one.",
)
@output_options("table", "json", default="table")
def command(
    gold: Path, found: Path | None, *, detector: str | None, mode: Literal["strict", "lenient"], output: Output
) -> int:
    """Score the entities, personal data, relations or languages of FOUND against the labels of people in GOLD.

    The name of GOLD says what it holds: .iob2, .bio, .conll or .tsv one tag a token, .spans.jsonl, .triples.jsonl or
    .languages.jsonl one text a line. Exit code: 0, or 2 for bad input.
    """
    from ragtriage.workflows.found_labels import compare_labels, detect  # noqa: PLC0415 - when it runs
    from ragtriage.workflows.found_labels_output import as_json, as_table  # noqa: PLC0415

    if (found is None) == (detector is None):
        raise click.UsageError("give FOUND, a file of what was found, or --detector")
    report = compare_labels(gold, found, mode=mode) if found is not None else detect(gold, detector or "", mode=mode)
    output.put(as_json(report) if output.form == "json" else drawn([as_table(report)], color=output.colored))
    return 0
