"""This run beside the one it is compared with: base, candidate, paired difference, and the cases that turned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragtriage.core.results import Leaf
from ragtriage.decisions.comparison import ComparedRow, OkChange
from ragtriage.report.model import Before, Report
from ragtriage.report.sections.stages import key_rows

__all__ = ["Comparison", "Difference", "Turned", "comparison", "difference_of"]

Change = Literal["better", "worse", "no difference", "changed", "not comparable"]
_SIGNIFICANT = 0.05
_MOST_METRICS, _MOST_SLICES = 40, 20


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric in both runs; `sure`: the adjusted p says that chance alone does not explain the difference."""

    row: ComparedRow
    change: Change
    sure: bool

    @property
    def said(self) -> str:
        """What became of the metric, and how sure that is."""
        if self.change not in ("better", "worse", "changed"):
            return self.change
        if self.row.p is None:
            return f"{self.change}, not tested"
        return f"{self.change}, {'beyond chance' if self.sure else 'may be chance'}"


@dataclass(frozen=True, slots=True)
class Turned:
    """A case that is ok in one of the two runs alone; `leaf` and `cause` are those of the run in which it is not."""

    case_id: str
    question: str | None
    leaf: Leaf | None
    cause: str | None
    before: Before | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed against the base run; `bundle`: what else differs, as (field, base, candidate).

    `key`: the key numbers of the stages, as (metric, level).
    """

    base_id: str
    ok: OkChange
    metrics: tuple[Difference, ...]
    slices: tuple[Difference, ...]
    broke: tuple[Turned, ...]
    mended: tuple[Turned, ...]
    bundle: tuple[tuple[str, str | None, str | None], ...]

    key: frozenset[tuple[str, str | None]] = frozenset()

    @property
    def moved(self) -> tuple[Difference, ...]:
        """The metrics whose number differs: what chance does not explain, then the key numbers, then the others."""
        found = [one for one in self.metrics if one.row.difference]
        return tuple(sorted(found, key=lambda one: (not one.sure, (one.row.metric, one.row.level) not in self.key)))

    @property
    def shown(self) -> tuple[Difference, ...]:
        """As many of the metrics that moved as a reader looks at."""
        return self.moved[:_MOST_METRICS]


def comparison(report: Report) -> Comparison | None:
    """Set the run beside its base; None where there is no base."""
    if report.compared is None:
        return None
    runs = report.compared.runs
    sliced = [row for row in runs.rows if row.slice and row.difference and not row.small]
    sliced.sort(key=lambda row: (1.0 if row.p is None else row.p, -abs(row.difference or 0.0)))
    return Comparison(
        base_id=runs.base_id,
        ok=runs.ok,
        metrics=tuple(difference_of(row) for row in runs.rows if not row.slice),
        slices=tuple(difference_of(row) for row in sliced[:_MOST_SLICES]),
        broke=tuple(_turned(report, case_id) for case_id in runs.ok.broke),
        mended=tuple(_turned(report, case_id) for case_id in runs.ok.mended),
        bundle=runs.bundle,
        key=frozenset((row.name, row.level) for row in key_rows(report)),
    )


def difference_of(row: ComparedRow) -> Difference:
    """Say what a compared row means."""
    sure = row.p_adjusted is not None and row.p_adjusted < _SIGNIFICANT
    if row.difference is None:
        return Difference(row, "not comparable", sure=False)
    if row.difference == 0:
        return Difference(row, "no difference", sure=False)
    if row.better == "neither":
        return Difference(row, "changed", sure)
    return Difference(row, "worse" if row.worse else "better", sure)


def _turned(report: Report, case_id: str) -> Turned:
    before = report.compared.before.get(case_id) if report.compared is not None else None
    case = report.cases.get(case_id)
    now = next((one.diagnosis for one in report.results.cases if one.case_id == case_id), None)
    told = now if now is not None else before
    return Turned(
        case_id,
        case.question if case else None,
        told.leaf if told is not None else None,
        told.cause if told is not None else None,
        before,
    )
