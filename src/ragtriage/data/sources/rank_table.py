"""Runs and judgements in Parquet: columns `question`, `document`, `score` or `grade`, and `rank` where there is one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtriage.core.declare import trace_source
from ragtriage.core.errors import BadInput, did_you_mean
from ragtriage.core.tables import parquet_types, read_parquet_columns
from ragtriage.data.rank_rows import JudgementRows, RunRows
from ragtriage.data.rankings import Judgements, RankedRun, Vocabulary

__all__ = ["rank_table", "read_judgements", "read_run"]


@trace_source(title="Run in a Parquet file (question, document, score, rank)")
def rank_table(path: Path) -> RankedRun:
    """Read a run from a Parquet file."""
    return read_run(path, documents=Vocabulary())


def read_run(path: Path, *, documents: Vocabulary, need_rank: bool = False) -> RankedRun:
    """Read a run; ids are texts or whole numbers. Raises BadInput with every fault, rows counted from 1."""
    rows = RunRows(path, documents, need_rank=need_rank)
    ranked = "rank" in _checked(path, ("question", "document", "score"))
    columns = ("question", "document", "score", *(("rank",) if ranked else ()))
    for lines, (questions, names, scores, *ranks) in _blocks(path, columns, rows):
        rows.add(_ids(questions), _ids(names), scores, ranks[0] if ranked else None, lines)
    return rows.finish()


def read_judgements(path: Path, *, documents: Vocabulary, grade_map: Mapping[str, int] | None = None) -> Judgements:
    """Read judgements; ids are texts or whole numbers. Raises BadInput with every fault, rows counted from 1."""
    rows = JudgementRows(path, documents, grade_map=grade_map)
    columns = ("question", "document", "grade")
    _checked(path, columns)
    for lines, (questions, names, grades) in _blocks(path, columns, rows):
        rows.add(_ids(questions), _ids(names), grades, lines)
    return rows.finish()


def _checked(path: Path, needed: Sequence[str]) -> Mapping[str, str]:
    """Return the types of the columns; raises BadInput where a needed one is missing or an id is no id."""
    types = parquet_types(path)
    missing = [name for name in needed if name not in types]
    if missing:
        hints = "".join(did_you_mean(name, types) for name in missing)
        raise BadInput(f"{path}: has no column {' and no column '.join(map(repr, missing))}.{hints}")
    for name in ("question", "document"):
        if types[name] != "VARCHAR" and "INT" not in types[name]:
            raise BadInput(f"{path}: the column {name!r} must hold texts or whole numbers. Got {types[name]} instead")
    return types


def _blocks(
    path: Path, columns: Sequence[str], rows: RunRows | JudgementRows
) -> Iterator[tuple[Sequence[int], tuple[tuple[Any, ...], ...]]]:
    """Yield (row numbers, columns) of the rows that have both ids; note the others."""
    first = 1
    for block in read_parquet_columns(path, columns):
        numbers: Sequence[int] = range(first, first + len(block[0]))
        first += len(block[0])
        if None in block[0] or None in block[1]:
            whole = []
            for number, row in zip(numbers, zip(*block, strict=True), strict=True):
                if None in row[:2]:
                    rows.fault(number, f"the row has no {'question' if row[0] is None else 'document'}")
                else:
                    whole.append((number, row))
            numbers = [number for number, _ in whole]
            block = tuple(zip(*(row for _, row in whole), strict=True))  # noqa: PLW2901 - the rows that are whole
        if numbers:
            yield numbers, block


def _ids(values: Sequence[Any]) -> list[bytes]:
    return [value.encode() if isinstance(value, str) else str(value).encode() for value in values]
