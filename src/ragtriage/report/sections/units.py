"""The documents, chunks ... that came out worst: what stands behind the numbers that count no cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragtriage.core.results import MetricRow, UnitResult, UnitScore
from ragtriage.report.model import Report
from ragtriage.report.wording import base_name

__all__ = ["ClassLine", "UnitLine", "UnitTable", "sorted_units", "worst_units"]

_LEADS = (
    "ingest.cer", "ingest.chunk_attribution", "ingest.boundary_violations", "ingest.hierarchy",
    "ingest.false_merge_rate", "ingest.missed_merge_rate", "ingest.boilerplate_recall", "ingest.boundary_quality",
    "ingest.unseen_changes", "ingest.pii_recall", "ingest.ann_recall", "ingest.probe_neighbour_overlap",
    "ingest.chunk_coherence",
)  # fmt: skip
_CLASS = "class"
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class UnitLine:
    """One unit; `scores`: one for each column, None where it has none."""

    unit: UnitResult
    scores: tuple[UnitScore | None, ...]


@dataclass(frozen=True, slots=True)
class ClassLine:
    """One slice of a population; `rows`: one for each column, None where the run has none."""

    slice: Mapping[str, str]
    rows: tuple[MetricRow | None, ...]


@dataclass(frozen=True, slots=True)
class UnitTable:
    """The worst units of one population by the metric `lead`, the worst first.

    `imperfect`: how many are not at its best, of `measured`. `columns`: the metrics that are shown, over all units.
    `classes`: the same by class, where units have one, the worst first.
    """

    population: str
    lead: MetricRow
    columns: tuple[MetricRow, ...]
    classes: tuple[ClassLine, ...]
    lines: tuple[UnitLine, ...]
    imperfect: int
    measured: int


def worst_units(report: Report, *, most: int = 10) -> tuple[UnitTable, ...]:
    """Return a table for each metric that orders units and that some of them miss; units that failed come first."""
    rows = {row.name: row for row in report.results.metrics if not row.slice and row.population != "cases"}
    found = []
    taken: set[str] = set()
    for name in _LEADS:
        lead = _lead([row for row in rows.values() if base_name(row.name) == name])
        if lead is None or lead.population in taken:
            continue
        table = _table(report, lead, list(rows.values()), most=most)
        if table.lines:
            taken.add(lead.population)
            found.append(table)
    return tuple(found)


def _lead(rows: Sequence[MetricRow]) -> MetricRow | None:
    """Choose among the rows of one metric: the deepest of its cut-offs that has a number, else the first."""
    cut = [row for row in rows if "@" in row.name and row.value is not None]
    return cut[-1] if cut else next(iter(rows), None)


def sorted_units(units: Iterable[UnitResult], row: MetricRow) -> list[UnitResult]:
    """Return the units that a metric was tried on: those that failed first, then the worst, the undefined last."""
    mine = [unit for unit in units if unit.population == row.population and row.name in unit.scores]
    return sorted(mine, key=lambda unit: _place(unit.scores[row.name], row))


def _table(report: Report, lead: MetricRow, rows: list[MetricRow], *, most: int) -> UnitTable:
    units = sorted_units(report.units, lead)
    missed = [unit for unit in units if not _perfect(unit.scores[lead.name], lead)]
    shown = missed[:most]
    named = (row for row in rows if row.name in _SHOWN and row.name != lead.name)
    others = sorted(named, key=lambda row: _SHOWN.index(row.name))
    columns = tuple(
        row
        for row in (lead, *others)
        if row.population == lead.population
        and any(row.name in unit.scores and unit.scores[row.name].status == "scored" for unit in shown)
    )
    lines = tuple(UnitLine(unit, tuple(unit.scores.get(row.name) for row in columns)) for unit in shown)
    classes = _classes(report, lead, columns)
    return UnitTable(lead.population, lead, columns, classes, lines, len(missed), len(units))


def _classes(report: Report, lead: MetricRow, columns: tuple[MetricRow, ...]) -> tuple[ClassLine, ...]:
    sliced: dict[str, dict[str, MetricRow]] = {}
    for row in report.results.metrics:
        if row.population == lead.population and set(row.slice) == {_CLASS}:
            sliced.setdefault(row.slice[_CLASS], {})[row.name] = row
    names = {
        name: _place(UnitScore(value=rows[lead.name].value), lead) for name, rows in sliced.items() if lead.name in rows
    }
    return tuple(
        ClassLine({_CLASS: name}, tuple(sliced[name].get(row.name) for row in columns))
        for name in sorted(names, key=lambda name: (names[name], name))
    )


_SHOWN = (
    "ingest.cer", "ingest.wer", "ingest.text_completeness", "ingest.text_excess", "ingest.reading_order", "ingest.teds",
    "ingest.chunk_attribution", "ingest.hierarchy", "ingest.boundary_violations",
    "ingest.chunk_coherence",
    "ingest.boundary_quality", "ingest.boilerplate_precision", "ingest.boilerplate_recall", "ingest.false_merge_rate",
    "ingest.missed_merge_rate", "ingest.duplicate_precision", "ingest.duplicate_recall", "ingest.pii_recall",
    "ingest.pii_precision", "ingest.embedding_probe_drift",
)  # fmt: skip


def _perfect(score: UnitScore, lead: MetricRow) -> bool:
    if score.status == "undefined":
        return True
    best = 1.0 if lead.better == "higher" else 0.0
    return score.value is not None and abs(score.value - best) < _ROUNDING


def _place(score: UnitScore, lead: MetricRow) -> tuple[int, float]:
    if score.value is None:
        return 0 if score.status == "failed" else 2, 0.0
    return 1, score.value if lead.better == "higher" else -score.value
