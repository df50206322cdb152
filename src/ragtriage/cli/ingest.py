"""`ragtriage ingest`: score extracted documents against their references."""

from __future__ import annotations

from pathlib import Path

import click

from ragtriage.cli._drawing import drawn
from ragtriage.cli._options import Output, output_options

__all__ = ["command"]

_MANY = 100  # documents: fewer are done before a line about them is read
_FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("reference_dir", type=_FOLDER)
@click.argument("extracted_dirs", metavar="EXTRACTED_DIR...", type=_FOLDER, nargs=-1, required=True)
@click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="cer, wer, teds(profile=content), ...")
@click.option("--classes", type=_FOLDER, metavar="CSV", help="The class of each document: columns document and class.")
@click.option("--pages", type=_FOLDER, metavar="DIR", help="The pages before extraction, to measure boilerplate by.")
@output_options("table", "json", default="table", quiet="No notes on standard error.")
def command(
    reference_dir: Path,
    extracted_dirs: tuple[Path, ...],
    *,
    metrics: tuple[str, ...],
    classes: Path | None,
    pages: Path | None,
    output: Output,
) -> None:
    """Score what extractors made of documents, each EXTRACTED_DIR against the texts in REFERENCE_DIR.

    Files are paired by their path without the suffix: plain text, Markdown and HTML. Without -m every metric runs that
    has something to measure.
    """
    from ragtriage.cli._progress import shown_progress  # noqa: PLC0415
    from ragtriage.report.escaping import one_line  # noqa: PLC0415 - a command loads what it needs when it runs
    from ragtriage.workflows.ingest import ingest  # noqa: PLC0415
    from ragtriage.workflows.ingest_output import as_json, as_tables  # noqa: PLC0415

    report = ingest(
        reference_dir,
        extracted_dirs,
        metrics=metrics,
        classes=classes,
        pages=pages,
        progress=shown_progress(quiet=output.quiet, doing="measuring", what="documents", least=_MANY),
    )
    if not output.quiet:
        for note in report.notes:
            click.echo(f"note: {one_line(note)}", err=True)
        if output.verbose:
            for name, reason in report.left_out.items():
                click.echo(f"note: left out {name}: {one_line(reason)}", err=True)
    if output.form == "json":
        output.put(as_json(report))
    else:
        output.put(drawn(as_tables(report, reference=reference_dir, extracted=extracted_dirs), color=output.colored))
