"""For whom it breaks: the key numbers by slice, and the slices that lie farthest below the whole."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ragtriage.core.results import TIME_DEPENDENT_METRICS, MetricRow
from ragtriage.report.model import Report
from ragtriage.report.sections.stages import key_rows
from ragtriage.report.wording import slice_name

__all__ = ["SliceGap", "SliceLine", "SliceTable", "slice_table", "worst_slices"]

_MIN_GAP = 5e-4  # smaller than what three decimals show


@dataclass(frozen=True, slots=True)
class SliceGap:
    """A metric over a slice that is worse than the same metric over all cases by `gap` (positive = worse)."""

    row: MetricRow
    whole: MetricRow
    gap: float


@dataclass(frozen=True, slots=True)
class SliceLine:
    """One slice: the field or fields it is cut by, its name, and a row for each column (None: the run has none)."""

    by: str
    name: str
    cells: tuple[MetricRow | None, ...]


@dataclass(frozen=True, slots=True)
class SliceTable:
    """Metric (columns, as rows over all cases) by slice."""

    whole: tuple[MetricRow, ...]
    lines: tuple[SliceLine, ...]


def worst_slices(report: Report, *, most: int = 5) -> tuple[SliceGap, ...]:
    """Return the slices, each with its worst key number, by how far they lie below the whole.

    Slices under the minimum n are left out; so are numbers that are no shares, since their gaps cannot be compared.
    """
    worst: dict[str, SliceGap] = {}
    for whole in key_rows(report):
        if not _is_share(whole):
            continue
        for row in _sliced(report, whole):
            gap = _gap(row, whole)
            name = slice_name(row.slice)
            if not row.small and gap is not None and (name not in worst or gap > worst[name].gap):
                worst[name] = SliceGap(row, whole, gap)
    found = sorted((one for one in worst.values() if one.gap > _MIN_GAP), key=lambda one: -one.gap)
    return tuple(found[:most])


def slice_table(report: Report) -> SliceTable:
    """Lay the key numbers out by slice, in the order of the run."""
    whole = tuple(row for row in key_rows(report) if any(True for _ in _sliced(report, row)))
    cells: dict[tuple[str, str], dict[int, MetricRow]] = defaultdict(dict)
    for column, over_all in enumerate(whole):
        for row in _sliced(report, over_all):
            cells[" + ".join(row.slice), ", ".join(row.slice.values())][column] = row
    lines = [
        SliceLine(by, name, tuple(found.get(column) for column in range(len(whole))))
        for (by, name), found in cells.items()
    ]
    order = {by: place for place, by in enumerate(dict.fromkeys(line.by for line in lines))}
    return SliceTable(whole, tuple(sorted(lines, key=lambda line: order[line.by])))


def _sliced(report: Report, whole: MetricRow) -> list[MetricRow]:
    rows = report.results.metrics
    return [row for row in rows if row.slice and row.name == whole.name and row.level == whole.level]


def _is_share(row: MetricRow) -> bool:
    timed = row.name in TIME_DEPENDENT_METRICS
    return not timed and row.value is not None and 0 <= row.value <= 1 and row.better != "neither"


def _gap(row: MetricRow, whole: MetricRow) -> float | None:
    if row.value is None or whole.value is None:
        return None
    return whole.value - row.value if row.better == "higher" else row.value - whole.value
