"""What it costs and how long it takes, stage by stage, read from the traces."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from ragtriage.report.model import Report

__all__ = ["ServiceLine", "service"]


@dataclass(frozen=True, slots=True)
class ServiceLine:
    """One stage: questions that record it, median and 95th percentile in milliseconds, money in US dollars.

    None: no trace records it.
    """

    stage: str
    questions: int
    p50_ms: float | None
    p95_ms: float | None
    cost: float | None


def service(report: Report) -> tuple[ServiceLine, ...]:
    """Return a line for each stage in the order in which stages first ran, costs without timing last."""
    durations: dict[str, list[float]] = defaultdict(list)
    costs: dict[str, list[float]] = defaultdict(list)
    for trace in report.traces.values():
        by_stage: dict[str, float] = defaultdict(float)
        for timing in trace.timings or ():
            by_stage[timing.stage] += timing.duration_ms
        for stage, duration in by_stage.items():
            durations[stage].append(duration)
        for stage, money in (trace.cost.stages if trace.cost else {}).items():
            costs[stage].append(money)
    return tuple(
        ServiceLine(
            stage=stage,
            questions=max(len(durations[stage]), len(costs[stage])),
            p50_ms=_percentile(durations[stage], 0.5),
            p95_ms=_percentile(durations[stage], 0.95),
            cost=math.fsum(costs[stage]) if costs[stage] else None,
        )
        for stage in dict.fromkeys([*durations, *costs])
    )


def _percentile(values: list[float], share: float) -> float | None:
    """Return the smallest value that at least `share` of the values do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else None
