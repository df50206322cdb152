"""Records out of Parquet: rows become the same plain data that a line of JSON Lines holds."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import parse_json, validate_record
from ragtriage.core.tables import read_parquet

__all__ = ["read_parquet_records"]

M = TypeVar("M", bound=BaseModel)


def read_parquet_records(path: Path, model: type[M], *, key: str) -> list[M]:
    """Read a Parquet file of records, all faults at once with the row as the line; raises BadInput.

    A null is a field that was left out; `metadata` may be a JSON text, since a column has one shape for all rows.
    """
    found: list[M] = []
    faults: list[Fault] = []
    seen: dict[str, list[int]] = defaultdict(list)
    for row, raw in enumerate(read_parquet(path), start=1):
        try:
            value = {name: _plain(name, cell) for name, cell in raw.items() if cell is not None}
        except ValueError as error:
            faults.append(Fault(str(path), row, f"'metadata' {error}"))
            continue
        record, problems = validate_record(model, value)
        faults.extend(Fault(str(path), row, problem) for problem in problems)
        if isinstance(value.get(key), str):
            seen[unicodedata.normalize("NFC", value[key].strip())].append(row)
        if record is not None:
            found.append(record)
    for name, rows in seen.items():
        if len(rows) > 1:
            places = ", ".join(map(str, rows))
            faults.append(Fault(str(path), rows[1], f"{key!r} {name!r} stands in rows {places}; it must be unique"))
    if faults:
        raise BadInput(f"{path} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", sorted(faults))
    return found


def _plain(name: str, cell: Any) -> Any:
    """Return what a JSON line would hold in place of a cell."""
    if name == "metadata" and isinstance(cell, str):
        return parse_json(cell)
    if isinstance(cell, datetime):
        return cell.isoformat()
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, dict):
        return {key: _plain("", value) for key, value in cell.items() if value is not None}
    if isinstance(cell, list | tuple):
        return [_plain("", value) for value in cell]
    return cell
