"""The documents, chunks ... that came out worst: what stands behind the numbers that count no cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragtriage.core.results import CASES, MetricRow, UnitResult, UnitScore
from ragtriage.report.model import Report
from ragtriage.report.wording import base_name

__all__ = ["ClassLine", "UnitLine", "UnitTable", "company", "sorted_units", "worst_units"]

# What units are ordered by, the most telling first; after it, what is shown beside it.
_TOPICS = (
    ("ingest.cer", "ingest.wer", "ingest.text_completeness", "ingest.text_excess", "ingest.reading_order",
     "ingest.teds"),
    ("ingest.chunk_attribution", "ingest.hierarchy"),
    ("ingest.pii_recall", "ingest.pii_precision"),
    ("ingest.false_merge_rate", "ingest.duplicate_precision"),
    ("ingest.unseen_changes",),
    ("ingest.boundary_violations", "ingest.boundary_quality"),
    ("ingest.boilerplate_recall", "ingest.boilerplate_precision"),
    ("ingest.missed_merge_rate", "ingest.duplicate_recall"),
    ("ingest.ann_recall",),
    ("ingest.hierarchy", "ingest.chunk_attribution"),
    ("ingest.pii_precision", "ingest.pii_recall"),
    ("ingest.boilerplate_precision", "ingest.boilerplate_recall"),
    ("ingest.boundary_quality", "ingest.boundary_violations"),
    ("ingest.probe_neighbour_overlap", "ingest.embedding_probe_drift"),
    ("ingest.chunk_coherence",),
    ("ingest.ner_f1",),
    ("ingest.relation_f1",),
    ("ingest.language_f1",),
    ("ingest.freshness_lag",),
    ("ingest.deletion_lag",),
)  # fmt: skip
_OF_THE_CORPUS = ("source_type", "language")  # fields that every document has; others were given for their own sake
_MOST_CLASSES = 12
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class UnitLine:
    """One unit; `scores`: one for each column, None where it has none."""

    unit: UnitResult
    scores: tuple[UnitScore | None, ...]

    @property
    def about(self) -> str:
        """Whom a group takes together, and what the unit is sliced by, in words."""
        return ", ".join(filter(None, (company(self.unit), *self.unit.fields.values())))


@dataclass(frozen=True, slots=True)
class ClassLine:
    """One slice of a population; `rows`: one for each column, None where the run has none."""

    slice: Mapping[str, str]
    rows: tuple[MetricRow | None, ...]


@dataclass(frozen=True, slots=True)
class UnitTable:
    """The worst units of one population by the metric `lead`, the worst first.

    `imperfect`: how many are not at its best, of `measured`. `columns`: the metrics that are shown, over all units.
    `classes`: the same by what the units are sliced by, the worst first.
    """

    population: str
    lead: MetricRow
    columns: tuple[MetricRow, ...]
    classes: tuple[ClassLine, ...]
    lines: tuple[UnitLine, ...]
    imperfect: int
    measured: int


def worst_units(report: Report, *, most: int = 10) -> tuple[UnitTable, ...]:
    """Return a table for each metric that orders units and that some of them miss; units that failed come first.

    What the gate does not let pass comes first, then what tells most.
    """
    rows = [row for row in report.results.metrics if not row.slice and row.population != CASES]
    gate = report.results.gate
    stopped = {base_name(rule.metric) for rule in (gate.rules if gate is not None else ()) if rule.verdict != "pass"}
    found = []
    for lead_name, *others in sorted(_TOPICS, key=lambda topic: topic[0] not in stopped):
        lead = _row(rows, lead_name)
        if lead is not None:
            beside = [row for name in others if (row := _row(rows, name)) is not None]
            found.append(_table(report, lead, beside, most=most))
    return tuple(table for table in found if table.lines)


def company(unit: UnitResult, *, most: int = 3) -> str:
    """Say which other documents a group holds; nothing for what is no group.

    >>> company(UnitResult(population="groups", unit_id="a", members=("a", "b", "c"), size=3))
    'with b and c'
    >>> company(UnitResult(population="groups", unit_id="a", members=tuple("abcdef"), size=9))
    'with b, c, d and 5 more'
    """
    others = [name for name in unit.members if name != unit.unit_id]
    if not others:
        return ""
    left = (unit.size or len(unit.members)) - 1 - most
    named = [*others[:most], f"{left} more"] if left > 0 else others
    return f"with {', '.join(named[:-1])}{' and ' if len(named) > 1 else ''}{named[-1]}"


def sorted_units(units: Iterable[UnitResult], row: MetricRow) -> list[UnitResult]:
    """Return the units that a metric was tried on: those that failed first, then the worst, the undefined last.

    Of those that are equally bad, what rests on more comes first.
    """
    mine = [unit for unit in units if unit.population == row.population and row.name in unit.scores]
    return sorted(mine, key=lambda unit: _place(unit.scores[row.name], row))


def _row(rows: Sequence[MetricRow], name: str) -> MetricRow | None:
    """Choose among the rows of one metric: the deepest of its cut-offs that has a number, else the first."""
    mine = [row for row in rows if base_name(row.name) == name]
    cut = [row for row in mine if "@" in row.name and row.value is not None]
    return cut[-1] if cut else next(iter(mine), None)


def _table(report: Report, lead: MetricRow, beside: Sequence[MetricRow], *, most: int) -> UnitTable:
    units = sorted_units(report.units, lead)
    missed = [unit for unit in units if not _perfect(unit.scores.get(lead.name), lead)]
    shown = missed[:most]
    told = [
        row
        for row in beside
        if row.population == lead.population and not all(_perfect(unit.scores.get(row.name), row) for unit in shown)
    ]
    columns = (lead, *told)
    lines = tuple(UnitLine(unit, tuple(unit.scores.get(row.name) for row in columns)) for unit in shown)
    classes = _classes(report, lead, columns) if shown else ()
    return UnitTable(lead.population, lead, columns, classes, lines, len(missed), len(units))


def _classes(report: Report, lead: MetricRow, columns: tuple[MetricRow, ...]) -> tuple[ClassLine, ...]:
    """Return the slices by what units were given for their own sake, such as a class; by language where there is none.

    A field whose slices all have one number says what the whole says.
    """
    sliced: dict[str, dict[str, dict[str, MetricRow]]] = {}
    for row in report.results.metrics:
        if row.population == lead.population and len(row.slice) == 1:
            ((field, value),) = row.slice.items()
            sliced.setdefault(field, {}).setdefault(value, {})[row.name] = row
    known = {
        field: {value: rows for value, rows in values.items() if lead.name in rows} for field, values in sliced.items()
    }
    telling = [
        field for field, values in known.items() if len({r[lead.name].value for r in values.values()} - {None}) > 1
    ]
    own = [field for field in telling if field not in _OF_THE_CORPUS] or [f for f in telling if f == "language"]
    found = [(field, value, rows) for field in own for value, rows in known[field].items()]
    found.sort(key=lambda one: (own.index(one[0]), _place(UnitScore(value=one[2][lead.name].value), lead), one[1]))
    return tuple(
        ClassLine({field: value}, tuple(rows.get(row.name) for row in columns))
        for field, value, rows in found[:_MOST_CLASSES]
    )


def _perfect(score: UnitScore | None, row: MetricRow) -> bool:
    """Say whether nothing is amiss: the best there is, or nothing to be measured."""
    if score is None or score.status == "undefined":
        return True
    best = 1.0 if row.better == "higher" else 0.0
    return score.value is not None and abs(score.value - best) < _ROUNDING


def _place(score: UnitScore, row: MetricRow) -> tuple[int, float, int]:
    if score.value is None:
        return 0 if score.status == "failed" else 2, 0.0, 0
    return 1, score.value if row.better == "higher" else -score.value, -(score.support or 0)
