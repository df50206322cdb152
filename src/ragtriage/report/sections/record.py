"""What the run was made of and what it leaves out: the bundle, metrics that did not run, notes."""

from __future__ import annotations

from dataclasses import dataclass

from ragtriage.report.model import Report

__all__ = ["RunRecord", "run_record"]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The identity of the run, in the order of names; `judges`: who gave verdicts, and whether it is calibrated."""

    run_id: str
    status: str
    bundle: tuple[tuple[str, str], ...]
    left_out: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    judges: tuple[tuple[str, str, bool], ...]


def run_record(report: Report) -> RunRecord:
    """Return what identifies the run."""
    results = report.results
    judges = {(v.judge, v.rubric, v.calibrated): None for v in report.verdicts.values()}
    return RunRecord(
        run_id=results.run_id,
        status=results.status,
        bundle=tuple(sorted(results.bundle.items())),
        left_out=tuple(sorted(results.left_out.items())),
        notes=results.notes,
        judges=tuple(sorted(judges)),
    )
