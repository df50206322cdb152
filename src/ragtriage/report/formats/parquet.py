"""Parquet: every score of every case and of every other unit as one row."""

from __future__ import annotations

import json

from ragtriage.core.declare import report_format
from ragtriage.core.results import CASES, UnitScore
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
    "population": "text",
    "unit_id": "text",
    "document": "text",
    "fields": "text",
}


@report_format(suffix=".parquet", title="Parquet (a score a row)")
def parquet_scores(report: Report) -> bytes:
    """Return the scores table: `status` is scored, undefined or failed; value and support are null unless scored.

    A row of a case has its `case_id`; one of a document, chunk ... has its `unit_id` instead, its `document`
    where it is or belongs to one, and as JSON the `fields` that it is sliced by.
    """
    rows: list[tuple[str | float | None, ...]] = [
        (score.case_id, score.metric, score.level, *_told(UnitScore.of(score.outcome)), CASES, None, None, None)
        for score in report.scores
    ]
    rows += [
        (None, metric, None, *_told(score), unit.population, unit.unit_id, unit.document, fields)
        for unit, fields in ((unit, json.dumps(unit.fields, ensure_ascii=False)) for unit in report.units)
        for metric, score in unit.scores.items()
    ]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(_TYPES)}
    return parquet_bytes(columns, _TYPES)


def _told(score: UnitScore) -> tuple[float | None, str, str | None, int | None]:
    return score.value, score.status, score.reason, score.support
