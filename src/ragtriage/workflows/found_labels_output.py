"""How labels held against each other are written: JSON, or a table."""

from __future__ import annotations

import json
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from ragtriage.core.score import Value
from ragtriage.workflows.found_labels import LabelReport, LabelRow

__all__ = ["as_json", "as_table"]


def as_json(report: LabelReport) -> str:
    """Return JSON: what was compared, and a row for each number, `null` with its reason where there is none."""
    content = {
        "kind": report.kind,
        "mode": report.mode,
        "texts": report.texts,
        "rows": [_plain(row) for row in report.rows],
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_table(report: LabelReport) -> Table:
    """Return a table: a row for each number with its denominator, and why there is none where that is so."""
    mode = "" if report.mode is None else f", tags read in mode {report.mode}"
    table = Table(title=f"{report.texts:,} texts{mode}", title_justify="left", box=SIMPLE_HEAD)
    for name in ("metric", "part", "type"):
        table.add_column(name)
    for name in ("value", "n"):
        table.add_column(name, justify="right")
    lacking = any(not isinstance(row.score, Value) for row in report.rows)
    if lacking:
        table.add_column("why there is none")
    for row in report.rows:
        given = [row.metric, row.part, row.of or "all"]
        if isinstance(row.score, Value):
            cells = [*given, f"{row.score.value:.4f}", f"{row.score.support:,}", *([""] if lacking else [])]
        else:
            cells = [*given, "–", "0", row.score.reason]
        table.add_row(*map(Text, cells))
    return table


def _plain(row: LabelRow) -> dict[str, Any]:
    value = {"value": row.score.value, "support": row.score.support} if isinstance(row.score, Value) else {
        "value": None, "reason": row.score.reason
    }  # fmt: skip
    return {"metric": row.metric, "part": row.part, "of": row.of, **value}
