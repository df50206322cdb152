"""Parquet files and `--where` expressions, both by DuckDB, in memory and without access to any other file.

Columns are plain lists; a column type is `text`, `number`, `whole` or `flag`, and None is null.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ragtriage.core.errors import BadInput, RagtriageError, StorageFailed
from ragtriage.core.files import write_atomic

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "ColumnType",
    "matching",
    "parquet_bytes",
    "parquet_types",
    "read_parquet",
    "read_parquet_columns",
    "write_parquet",
]

ColumnType = Literal["text", "number", "whole", "flag"]
_SQL = {"text": "VARCHAR", "number": "DOUBLE", "whole": "BIGINT", "flag": "BOOLEAN"}
_BATCH = 10_000


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _parquet(path: Path) -> str:
    """Name one Parquet file: `*`, `?` and `[` in its path are no pattern, `key=value` in it is no column."""
    exact = re.sub(r"[*?\[]", r"[\g<0>]", str(path))
    return f"read_parquet({_literal(Path(exact))}, hive_partitioning = false)"


def _closed() -> duckdb.DuckDBPyConnection:
    """Open a database in memory that may touch no file and load no extension."""
    import duckdb  # noqa: PLC0415 - 70 MB, loaded where a table is needed

    return duckdb.connect(":memory:", config={"enable_external_access": "false", "threads": "1"})


@contextmanager
def _refused(ours: Callable[[str], RagtriageError]) -> Iterator[None]:
    """Turn what DuckDB raises into an error of ours, from its first line; Ctrl-C, which it dresses up, stays Ctrl-C."""
    import duckdb  # noqa: PLC0415

    try:
        yield
    except duckdb.Error as error:
        why = (str(error).splitlines() or [""])[0]
        if isinstance(error, duckdb.InterruptException) or why.startswith("KeyboardInterrupt"):
            raise KeyboardInterrupt from error
        raise ours(why) from error


def read_parquet(path: Path, *, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file as dictionaries, streamed; raises BadInput for a file that is none."""
    import duckdb  # noqa: PLC0415

    chosen = "*" if columns is None else ", ".join(map(_quoted, columns))
    with (
        _refused(lambda why: BadInput(f"{path}: {why}")),
        duckdb.connect(":memory:", config={"threads": "1"}) as connection,
    ):
        found = connection.execute(f"SELECT {chosen} FROM {_parquet(path)}")  # noqa: S608 - quoted above
        names = [column[0] for column in found.description or ()]
        while rows := found.fetchmany(_BATCH):
            yield from (dict(zip(names, row, strict=True)) for row in rows)


def parquet_types(path: Path) -> dict[str, str]:
    """Return the columns of a Parquet file with their SQL types (`VARCHAR`, `BIGINT` ...); raises BadInput."""
    import duckdb  # noqa: PLC0415

    with (
        _refused(lambda why: BadInput(f"{path}: {why}")),
        duckdb.connect(":memory:", config={"threads": "1"}) as connection,
    ):
        found = connection.execute(f"DESCRIBE SELECT * FROM {_parquet(path)}").fetchall()  # noqa: S608 - quoted above
    return {str(name): str(kind) for name, kind, *_ in found}


def read_parquet_columns(path: Path, columns: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """Yield blocks of a Parquet file as one tuple of values a column, for tables of many rows; raises BadInput."""
    import duckdb  # noqa: PLC0415

    chosen = ", ".join(map(_quoted, columns))
    with (
        _refused(lambda why: BadInput(f"{path}: {why}")),
        duckdb.connect(":memory:", config={"threads": "1"}) as connection,
    ):
        found = connection.execute(f"SELECT {chosen} FROM {_parquet(path)}")  # noqa: S608 - quoted above
        while rows := found.fetchmany(_BATCH):
            yield tuple(zip(*rows, strict=True))


def write_parquet(path: Path, columns: Mapping[str, Sequence[Any]], types: Mapping[str, ColumnType]) -> None:
    """Write columns of equal length as one Parquet file, atomically; raises StorageFailed."""
    write_atomic(path, parquet_bytes(columns, types))


def parquet_bytes(columns: Mapping[str, Sequence[Any]], types: Mapping[str, ColumnType]) -> bytes:
    """Return columns of equal length as the bytes of a Parquet file; raises ValueError where lengths differ."""
    import duckdb  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415

    if len({len(values) for values in columns.values()}) > 1:
        raise ValueError("columns of one table must have the same length")
    arrays = {}
    for name, values in columns.items():
        arrays[name] = np.empty(len(values), dtype=object)
        arrays[name][:] = values
    chosen = ", ".join(f"{_quoted(n)}::{_SQL[types[n]]} AS {_quoted(n)}" for n in columns)
    with tempfile.TemporaryDirectory(prefix="ragtriage-") as folder:
        target = Path(folder) / "table.parquet"
        with (
            _refused(lambda why: StorageFailed(f"a Parquet table cannot be written: {why}")),
            duckdb.connect(":memory:", config={"threads": "1"}) as connection,
        ):
            connection.register("given", arrays)
            connection.execute(f"COPY (SELECT {chosen} FROM given) TO {_literal(target)} (FORMAT parquet)")  # noqa: S608
        return target.read_bytes()


def matching(expression: str, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the indices of the rows for which an SQL condition holds, e.g. `'table' in tags and language = 'kk'`.

    Nested objects are reached with dots (`generation.faithfulness < 0.7`). Raises BadInput for a bad expression.

    >>> matching("'table' in tags", [{"tags": ["table"]}, {"tags": []}])
    [0]
    """
    if not expression.strip():
        raise BadInput("the condition is empty: write one such as language = 'kk'")
    if not rows:
        return []
    with _closed() as connection:
        connection.execute("CREATE TABLE given (_row BIGINT, doc JSON)")
        connection.executemany("INSERT INTO given VALUES (?, ?)", [[i, json.dumps(r)] for i, r in enumerate(rows)])
        shape = connection.execute("SELECT json_structure(json_group_array(doc)) FROM given").fetchone()
        form = shape[0][1:-1].replace("'", "''") if shape else "{}"
        connection.execute(f"CREATE TABLE cases AS SELECT _row, unnest(from_json(doc, '{form}')) FROM given")  # noqa: S608
        with _refused(lambda why: BadInput(f"the condition {expression!r} cannot be read: {why}")):
            found = connection.execute(f"SELECT _row FROM cases WHERE ({expression}) ORDER BY _row").fetchall()  # noqa: S608 - the user's own expression, in a closed database
    return [int(row[0]) for row in found]
