"""This run beside the one it is compared with: base, candidate, difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragtriage.core.results import CaseResult, MetricRow
from ragtriage.report.model import Report

__all__ = ["Comparison", "Difference", "comparison"]

Change = Literal["better", "worse", "same", "changed", "not comparable"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric over all cases in both runs; `base` None: the base run has no such row."""

    base: MetricRow | None
    candidate: MetricRow
    difference: float | None
    change: Change


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed against the base run: metrics, cases that broke, cases that were mended, parts of the bundle."""

    base_id: str
    metrics: tuple[Difference, ...]
    broke: tuple[str, ...]
    mended: tuple[str, ...]
    bundle: tuple[str, ...]


def comparison(report: Report) -> Comparison | None:
    """Set the run beside its base; None where there is no base.

    Differences are between point values; whether they could be chance is what `ragtriage compare` says.
    """
    if report.base is None:
        return None
    base, candidate = report.base.results, report.results
    earlier = {(row.name, row.level): row for row in base.metrics if not row.slice}
    rows = (row for row in candidate.metrics if not row.slice)
    before = {case.case_id: case.ok for case in base.cases}
    names = sorted(base.bundle.keys() | candidate.bundle.keys())
    return Comparison(
        base_id=base.run_id,
        metrics=tuple(_difference(earlier.get((row.name, row.level)), row) for row in rows),
        broke=_turned(candidate.cases, before, to=False),
        mended=_turned(candidate.cases, before, to=True),
        bundle=tuple(name for name in names if base.bundle.get(name) != candidate.bundle.get(name)),
    )


def _turned(cases: tuple[CaseResult, ...], before: dict[str, bool | None], *, to: bool) -> tuple[str, ...]:
    return tuple(case.case_id for case in cases if case.ok is to and before.get(case.case_id) is (not to))


def _difference(base: MetricRow | None, candidate: MetricRow) -> Difference:
    if base is None or base.value is None or candidate.value is None:
        return Difference(base, candidate, None, "not comparable")
    moved = candidate.value - base.value
    if moved == 0:
        return Difference(base, candidate, moved, "same")
    if candidate.better == "neither":
        return Difference(base, candidate, moved, "changed")
    improved = (moved > 0) == (candidate.better == "higher")
    return Difference(base, candidate, moved, "better" if improved else "worse")
