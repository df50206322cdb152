"""The comparison that a run folder keeps beside its results, so that its report can be drawn again without the base."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_json
from ragtriage.decisions.comparison import ComparedRow
from ragtriage.report.model import Compared

__all__ = ["comparison_json", "kept", "read_comparison"]

SCHEMA = "ragtriage.comparison/1"
_MOST_SLICED = 100


def kept(compared: Compared) -> Compared:
    """Return what a run folder keeps: every metric over all cases, and the slices that moved, the surest first.

    Of a slice the cases that moved are not listed; they are among those of the metric.
    """
    whole = [row for row in compared.runs.rows if not row.slice]
    moved = sorted((row for row in compared.runs.rows if row.slice and row.difference), key=_by_p)
    sliced = [replace(row, lost=(), gained=(), regressed=(), improved=()) for row in moved[:_MOST_SLICED]]
    return replace(compared, runs=replace(compared.runs, rows=(*whole, *sliced)))


def comparison_json(compared: Compared) -> str:
    """Return the document that `comparison.json` holds."""
    document: dict[str, Any] = {"schema": SCHEMA, **asdict(compared)}
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def read_comparison(path: Path) -> Compared | None:
    """Read the comparison of a run folder; None where it was compared with none. Raises BadInput."""
    if not path.exists():
        return None
    value = read_json(path)
    if not isinstance(value, dict) or value.pop("schema", None) != SCHEMA:
        raise BadInput(f"{path}: is no {SCHEMA}")
    try:
        return TypeAdapter(Compared).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def _by_p(row: ComparedRow) -> tuple[float, float]:
    return (1.0 if row.p is None else row.p, -abs(row.difference or 0.0))
