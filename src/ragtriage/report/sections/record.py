"""What the run was made of and what it leaves out: the bundle, metrics that did not run, notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragtriage.report.model import Report
from ragtriage.report.wording import base_name

__all__ = ["LeftOut", "RunRecord", "left_out_by_reason", "run_record"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Metrics that did not run for one reason; each once whatever its parameters, unless it ran with others."""

    why: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The identity of the run, in the order of names; `judges`: who gave verdicts, and whether it is calibrated.

    `left_out`: those of most metrics first.
    """

    run_id: str
    status: str
    bundle: tuple[tuple[str, str], ...]
    left_out: tuple[LeftOut, ...]
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
        left_out=left_out_by_reason(results.left_out, ran=(row.name for row in results.metrics)),
        notes=results.notes,
        judges=tuple(sorted(judges)),
    )


def left_out_by_reason(left_out: Mapping[str, str], *, ran: Iterable[str] = ()) -> tuple[LeftOut, ...]:
    """Group metrics by why they are left out, the reason of most metrics first; `ran`: the names of those that ran.

    >>> whole, part = {"a.b@1": "no k", "a.b@5": "no k"}, {"a.lag(percentile=99)": "too few"}
    >>> [one.names for one in left_out_by_reason(whole | part, ran=["a.lag"])]
    [('a.b',), ('a.lag(percentile=99)',)]
    """
    known = {base_name(name) for name in ran}
    by_reason: dict[str, dict[str, None]] = {}
    for name, why in sorted(left_out.items()):
        base = base_name(name)
        by_reason.setdefault(why, {})[name if base in known else base] = None
    found = [LeftOut(why, tuple(names)) for why, names in by_reason.items()]
    return tuple(sorted(found, key=lambda one: (-len(one.names), one.why)))
