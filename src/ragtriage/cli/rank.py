"""`ragtriage rank`: score runs against judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from ragtriage.cli._drawing import drawn
from ragtriage.cli._options import Output, output_options
from ragtriage.core.errors import BadInput

__all__ = ["command"]

_EVERY_NAME = 1_000_000_000
_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("qrels", type=_FILE)
@click.argument("runs", metavar="RUN...", type=_FILE, nargs=-1, required=True)
@click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="recall@10, mrr, ndcg@10(gain=linear)")
@click.option("-q", "--per-question", is_flag=True, help="The scores of each question as well.")
@click.option("--order", type=click.Choice(["score", "rank"]), default="score", help="The column that orders a list.")
@click.option("--min-grade", type=click.IntRange(min=1), default=1, help="The least grade that is relevant.")
@click.option("--grade-map", metavar="1=4,2=3", help="Other grades for those in the file, all at once.")
@click.option("--like", type=click.Choice(["trec_eval"]), help="Take its conventions where ours differ.")
@output_options(
    *("table", "json", "csv", "parquet"),
    default="table",
    quiet="No notes on standard error.",
    verbose="Notes name every question",
    short_quiet=False,
)
def command(
    qrels: Path,
    runs: tuple[Path, ...],
    *,
    metrics: tuple[str, ...],
    per_question: bool,
    order: Literal["score", "rank"],
    min_grade: int,
    grade_map: str | None,
    like: Literal["trec_eval"] | None,
    output: Output,
) -> None:
    """Score each RUN against the judgements in QRELS: TREC files, BEIR judgements or Parquet.

    The score orders a list and ties go by document id, descending, as in trec_eval. A question without a ranking scores
    0 and is counted as missing.
    """
    from ragtriage.report.escaping import one_line  # noqa: PLC0415 - a command loads what it needs when it runs
    from ragtriage.workflows.rank import DEFAULT_METRICS, NAMES_SHOWN, rank  # noqa: PLC0415
    from ragtriage.workflows.rank_output import as_csv, as_json, as_parquet, as_tables  # noqa: PLC0415

    if output.form == "parquet" and output.file is None:
        raise click.UsageError("Parquet is no text: say where to write it with -o FILE")
    report = rank(
        qrels,
        runs,
        metrics=metrics or DEFAULT_METRICS,
        order=order,
        min_grade=min_grade,
        grade_map=_grades(grade_map),
        like=like,
        names_shown=_EVERY_NAME if output.verbose else NAMES_SHOWN,
    )
    if not output.quiet:
        for note in report.notes:
            click.echo(f"note: {one_line(note)}", err=True)
    match output.form:
        case "json":
            content: str | bytes = as_json(report, per_question=per_question)
        case "csv":
            content = as_csv(report, per_question=per_question)
        case "parquet":
            content = as_parquet(report)
        case _:
            content = drawn(as_tables(report, per_question=per_question), color=output.colored)
    output.put(content)


def _grades(text: str | None) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in filter(None, (piece.strip() for piece in (text or "").split(","))):
        written, equals, grade = (side.strip() for side in part.partition("="))
        if not equals or not written or not grade.removeprefix("-").isdecimal() or written in found:
            raise BadInput(f"--grade-map: {part!r} must be GRADE=GRADE in whole numbers, each once, as in '1=4,2=3'")
        found[written] = int(grade)
    return found
