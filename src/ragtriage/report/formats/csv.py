"""CSV: a line for each metric and slice; text that a spreadsheet would run is kept from running.

A cell whose text begins (after white space and invisible characters) with `=`, `+`, `-`, `@`, or with TAB or CR gets an
apostrophe in front; `restored` takes it off again. Numbers stand in columns of numbers and stay as they are.
"""

from __future__ import annotations

import csv
import io
import re

from ragtriage.core.declare import report_format
from ragtriage.core.results import CASES, MetricRow
from ragtriage.report.model import Report
from ragtriage.report.wording import PROXY, slice_name

__all__ = ["csv_metrics", "guarded", "restored"]

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
)
_DANGEROUS = re.compile(rf"(?:[\s{_INVISIBLE}\x00-\x1f\x7f-\x9f']*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212])|[\t\r\n]")
_COLUMNS = (
    *("metric", "level", "slice", "value", "interval_low", "interval_high", "scored", "undefined", "failed", "missing"),
    *("unit", "better", "aggregate", "micro", "note", "reason"),
)


@report_format(suffix=".csv", title="CSV (metric rows)")
def csv_metrics(report: Report) -> str:
    """Return the metric rows; a missing number is an empty cell, with its reason in the last column."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for row in report.results.metrics:
        writer.writerow(_cells(row))
    return stream.getvalue()


def _cells(row: MetricRow) -> list[str | float | None]:
    low, high = row.interval if row.interval is not None else (None, None)
    notes = [PROXY] if row.proxy else []
    notes += [] if row.population == CASES else [f"counts {row.population}"]
    notes += ["below the minimum n"] if row.small else []
    numbers = [row.value, low, high, row.scored, row.undefined, row.failed, row.missing]
    sliced = slice_name(row.slice) if row.slice else ""
    texts = [row.unit, row.better, row.aggregate]
    return [
        *map(guarded, (row.name, row.level or "", sliced)),
        *numbers,
        *map(guarded, texts),
        row.micro,
        *map(guarded, ("; ".join(notes), row.reason or "")),
    ]


def guarded(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would take for a formula.

    >>> guarded("=1+1"), guarded("safe = text"), guarded(" \u200b@SUM(A1)")
    ("'=1+1", 'safe = text', "' \u200b@SUM(A1)")
    """
    return f"'{text}" if _DANGEROUS.match(text) else text


def restored(cell: str) -> str:
    """Take off the apostrophe that `guarded` put on.

    >>> [restored(guarded(text)) == text for text in ("=1", "'=1", "'quoted'", "plain")]
    [True, True, True, True]
    """
    return cell[1:] if cell.startswith("'") and _DANGEROUS.match(cell[1:]) else cell
