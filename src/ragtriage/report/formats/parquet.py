"""Parquet: every score of every case as one row."""

from __future__ import annotations

from ragtriage.core.declare import report_format
from ragtriage.core.results import CaseScore
from ragtriage.core.score import Failed, Undefined, Value
from ragtriage.core.tables import ColumnType, parquet_bytes
from ragtriage.report.model import Report

__all__ = ["parquet_scores"]

_TYPES: dict[str, ColumnType] = {
    "case_id": "text",
    "metric": "text",
    "level": "text",
    "value": "number",
    "status": "text",
    "reason": "text",
    "support": "whole",
}


@report_format(suffix=".parquet", title="Parquet (a score a row)")
def parquet_scores(report: Report) -> bytes:
    """Return the scores table: `status` is scored, undefined or failed; value and support are null unless scored."""
    rows = [_row(score) for score in report.scores]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(_TYPES)}
    return parquet_bytes(columns, _TYPES)


def _row(score: CaseScore) -> tuple[str | float | None, ...]:
    key = (score.case_id, score.metric, score.level)
    match score.outcome:
        case Value(value=value, support=support):
            return (*key, value, "scored", None, support)
        case Undefined(reason=reason):
            return (*key, None, "undefined", reason, None)
        case Failed(stage=stage, error=error, message=message):
            return (*key, None, "failed", f"{stage}: {error}: {message}", None)
