"""`ragtriage index`: record what a run measures of an index: how fresh it is, what it finds, how its vectors drift."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragtriage.cli._numbers import FiniteRange
from ragtriage.cli._options import Output, output_options, put

if TYPE_CHECKING:
    from ragtriage.stats.nearest import Distance

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

    from ragtriage.cli._drawing import drawn  # noqa: PLC0415
    from ragtriage.cli._progress import shown_progress  # noqa: PLC0415
    from ragtriage.report.escaping import one_line  # noqa: PLC0415
    from ragtriage.runs.freshness import Polling  # noqa: PLC0415
    from ragtriage.workflows.index_changes import as_json, as_table, notes_on, record_changes  # noqa: PLC0415

    found = record_changes(
        index,
        file,
        environment=os.environ,
        markers=markers,
        polling=Polling(deadline_s=deadline, pause_s=pause, agreeing=agreeing),
        warn=lambda text: click.echo(f"ragtriage: WARNING: {one_line(text)}", err=True),  # however quiet
        progress=shown_progress(quiet=output.quiet, doing="measuring", what="markers"),
    )
    output.put(as_json(found) if output.form == "json" else drawn([as_table(found)], color=output.colored))
    for note in (*notes_on(found, markers=markers), f"wrote {file}"):
        output.say(one_line(note))
    if found.left_behind:
        return _UNAVAILABLE
    return 0 if found.measured else _UNDECIDED


_K = click.option(
    "-k", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="The first N found."
)
_DISTANCE = click.option("--distance", type=click.Choice(["cosine", "dot", "euclid"]), default="cosine",
                         show_default=True, help="What the index searches by.")  # fmt: skip
_FILE = click.Path(path_type=Path)


def _vector_files(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the files of vectors."""
    for option in (
        click.option("--query-ids", type=_FILE, metavar="FILE", help="Ids of rows of --queries in .npy, one a line."),
        click.option("--vector-ids", type=_FILE, metavar="FILE", help="Ids of rows of --vectors in .npy, one a line."),
        click.option("--queries", type=_FILE, required=True, metavar="FILE", help="Those of queries, in such a file."),
        click.option("--vectors", type=_FILE, required=True, metavar="FILE",
                     help="Vectors of all that an index holds: .npy, .jsonl, .parquet."),
    ):  # fmt: skip
        function = option(function)
    return function


@command.command()
@_vector_files
@click.option("--faiss", type=_FILE, metavar="FILE", help="The index is this file of FAISS.")
@click.option("--qdrant", metavar="PLACE", help="It is in Qdrant: an address, or a folder of the embedded mode.")
@click.option("--collection", metavar="NAME", help="Its name in Qdrant.")
@click.option("--using", metavar="NAME", help="The vector that Qdrant searches, where points have several.")
@click.option("--api-key", metavar="env:NAME", help="Key of Qdrant, from the environment.")
@click.option("--python", metavar="MODULE:CALLABLE",
              help="It is a function: queries [1, dimensions] and k in, ids or rows out, nearest first.")  # fmt: skip
@click.option("--ef-search", type=click.IntRange(min=1), metavar="N", help="Search HNSW so widely; as it is set.")
@click.option("--nprobe", type=click.IntRange(min=1), metavar="N", help="Search so many cells of IVF; as it is set.")
@_K
@_DISTANCE
@click.option("-o", "--output", "file", type=_FILE, required=True, metavar="FILE", help="Record it there.")
@output_options("table", "json", default="table", file=None)
def recall(
    vectors: Path,
    queries: Path,
    vector_ids: Path | None,
    query_ids: Path | None,
    *,
    k: int,
    distance: Distance,
    file: Path,
    output: Output,
    **address: Any,
) -> int:
    """Ask a vector index every query, and hold what it finds against exact search over the same vectors.

    One index: --faiss, --qdrant with --collection, or --python. [ingest.neighbours] found names FILE for a run. Nothing
    is written to the index. Exit code: 0, 2 bad input, 3 no query has a recall, 4 storage, 5 the index does not answer.
    """
    import os  # noqa: PLC0415 - when it runs

    from ragtriage.cli._drawing import drawn  # noqa: PLC0415
    from ragtriage.cli._progress import shown_progress  # noqa: PLC0415
    from ragtriage.report.escaping import one_line  # noqa: PLC0415
    from ragtriage.workflows.index_opening import IndexAddress  # noqa: PLC0415
    from ragtriage.workflows.recorded_recall import VectorPlaces, as_json, as_tables, record_recall  # noqa: PLC0415

    found = record_recall(
        IndexAddress(**address),
        VectorPlaces(vectors, queries, vector_ids, query_ids),
        file,
        environment=os.environ,
        base=Path(),
        k=k,
        distance=distance,
        progress=shown_progress(quiet=output.quiet, what="queries"),
    )
    output.put(as_json(found) if output.form == "json" else drawn(as_tables(found), color=output.colored))
    for note in (*found.notes, f"wrote {file}"):
        output.say(one_line(note))
    return 0 if found.score.recall.value is not None else _UNDECIDED


@command.command()
@_vector_files
@click.option("--m", type=click.IntRange(min=2), multiple=True, metavar="N", help="HNSW's M; can be given again.")
@click.option("--ef-construction", type=click.IntRange(min=1), multiple=True, metavar="N",
              help="HNSW's efConstruction; can be given again.")  # fmt: skip
@click.option("--nlist", type=click.IntRange(min=1), multiple=True, metavar="N",
              help="Cells of IVF; can be given again.")  # fmt: skip
@_K
@_DISTANCE
@click.option("--svg", type=_FILE, metavar="FILE", help="Draw recall against the time of a query there.")
@output_options("md", default="md")
def study(
    vectors: Path,
    queries: Path,
    vector_ids: Path | None,
    query_ids: Path | None,
    *,
    k: int,
    distance: Distance,
    svg: Path | None,
    output: Output,
    **grid: Any,
) -> int:
    """Build FAISS indexes of your vectors in many ways, and show what recall each costs: flat, HNSW, IVF.

    A table of recall, build time and queries a second, on one thread. Exit code: 0, 2 bad input, 3 no query has a
    recall, 4 storage.
    """
    from ragtriage.workflows.index_study import StudyGrid, curve, study_files, table  # noqa: PLC0415 - when it runs
    from ragtriage.workflows.recorded_recall import VectorPlaces  # noqa: PLC0415

    rows = study_files(
        VectorPlaces(vectors, queries, vector_ids, query_ids),
        (svg, None if output.file is None else Path(output.file)),
        k=k,
        distance=distance,
        grid=StudyGrid(**{name: values for name, values in grid.items() if values}),
        told=lambda row: output.say(str(row)),
    )
    output.put(table(rows))
    if all(row.score.recall.value is None for row in rows):
        return _UNDECIDED
    if svg is not None:
        put(curve(rows, title="Recall against the time of a query"), str(svg))
        output.say(f"wrote {svg}")
    return 0


@command.command()
@click.argument("old", type=_FILE)
@click.argument("new", type=_FILE)
@click.option("--old-ids", type=_FILE, metavar="FILE", help="Ids of the rows of OLD in .npy, one a line.")
@click.option("--new-ids", type=_FILE, metavar="FILE", help="Ids of the rows of NEW in .npy, one a line.")
@_K
@output_options("table", "json", default="table")
def drift(old: Path, new: Path, *, old_ids: Path | None, new_ids: Path | None, k: int, output: Output) -> int:
    """Compare vectors of the same texts by two embedders, or by two versions of one: .npy, .jsonl, .parquet.

    How far each vector moved, how many of its k nearest others it kept, and whether a classifier can tell old from new.
    [ingest.probes] names both files for a run. Exit code: 0, 2 bad input, 3 nothing could be compared, 4 storage.
    """
    from ragtriage.cli._drawing import drawn  # noqa: PLC0415 - when it runs
    from ragtriage.workflows.embedding_drift import as_json, as_tables, drift_of_files  # noqa: PLC0415

    found = drift_of_files(old, new, old_ids=old_ids, new_ids=new_ids, k=k)
    output.put(as_json(found) if output.form == "json" else drawn(as_tables(found), color=output.colored))
    return 0 if found.drift.value is not None or found.overlap.value is not None else _UNDECIDED
