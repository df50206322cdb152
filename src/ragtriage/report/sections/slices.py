"""For whom it breaks: the key numbers by slice, and the slices that lie farthest below the whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from ragtriage.core.results import CASES, TIME_DEPENDENT_METRICS, MetricRow
from ragtriage.report.model import Report
from ragtriage.report.sections.stages import key_rows
from ragtriage.report.wording import slice_name

__all__ = ["SliceCell", "SliceGap", "SliceLine", "SliceTable", "slice_table", "worst_slices"]

_MIN_GAP = 5e-4  # smaller than what three decimals show


@dataclass(frozen=True, slots=True)
class SliceGap:
    """A metric over a slice that is worse than the same metric over all cases by `gap` (positive = worse)."""

    row: MetricRow
    whole: MetricRow
    gap: float


@dataclass(frozen=True, slots=True)
class SliceCell:
    """A metric over a slice; `worse`: the whole lies outside its interval, on the better side."""

    row: MetricRow
    worse: bool


@dataclass(frozen=True, slots=True)
class SliceLine:
    """One slice: the field or fields it is cut by, its name, and a cell for each column (None: the run has none)."""

    by: str
    name: str
    slice: Mapping[str, str]
    cells: tuple[SliceCell | None, ...]


@dataclass(frozen=True, slots=True)
class SliceTable:
    """Metric (columns, as rows over all cases) by slice."""

    whole: tuple[MetricRow, ...]
    lines: tuple[SliceLine, ...]


def worst_slices(report: Report, *, most: int = 5) -> tuple[SliceGap, ...]:
    """Return the slices, each with its worst key number: first those whose interval excludes the whole, by their gap.

    Slices under the minimum n are left out; so are numbers that are no shares, since their gaps cannot be compared,
    and those that rest on an uncalibrated judge.
    """
    worst: dict[str, SliceGap] = {}
    for whole in _of_cases(report):
        if not _is_share(whole) or whole.proxy:
            continue
        for row in _sliced(report, whole):
            gap = _gap(row, whole)
            name = slice_name(row.slice)
            if not row.small and gap is not None and (name not in worst or gap > worst[name].gap):
                worst[name] = SliceGap(row, whole, gap)
    found = [one for one in worst.values() if one.gap > _MIN_GAP]
    found.sort(key=lambda one: (not _worse(one.row, one.whole), -one.gap))
    return tuple(found[:most])


def slice_table(report: Report) -> SliceTable:
    """Lay the key numbers out by slice, in the order of the run."""
    whole = tuple(row for row in _of_cases(report) if any(True for _ in _sliced(report, row)))
    cells: dict[tuple[tuple[str, str], ...], dict[int, SliceCell]] = defaultdict(dict)
    for column, over_all in enumerate(whole):
        for row in _sliced(report, over_all):
            cells[tuple(row.slice.items())][column] = SliceCell(row, _worse(row, over_all))
    lines = [
        SliceLine(
            by=" + ".join(name for name, _ in where),
            name=", ".join(value for _, value in where),
            slice=dict(where),
            cells=tuple(found.get(column) for column in range(len(whole))),
        )
        for where, found in cells.items()
    ]
    order = {by: place for place, by in enumerate(dict.fromkeys(line.by for line in lines))}
    return SliceTable(whole, tuple(sorted(lines, key=lambda line: order[line.by])))


def _of_cases(report: Report) -> tuple[MetricRow, ...]:
    """Return the key numbers that count cases: documents and chunks have slices of their own."""
    return tuple(row for row in key_rows(report) if row.population == CASES)


def _sliced(report: Report, whole: MetricRow) -> list[MetricRow]:
    rows = report.results.metrics
    return [row for row in rows if row.slice and row.name == whole.name and row.level == whole.level]


def _is_share(row: MetricRow) -> bool:
    timed = row.name in TIME_DEPENDENT_METRICS
    return not timed and row.value is not None and 0 <= row.value <= 1 and row.better != "neither"


def _worse(row: MetricRow, whole: MetricRow) -> bool:
    if row.small or row.interval is None or whole.value is None:
        return False
    low, high = row.interval
    if low == high:  # every case gave the same, so no resample could differ: that is no certainty
        return False
    return (high < whole.value and row.better == "higher") or (low > whole.value and row.better == "lower")


def _gap(row: MetricRow, whole: MetricRow) -> float | None:
    if row.value is None or whole.value is None:
        return None
    return whole.value - row.value if row.better == "higher" else row.value - whole.value
