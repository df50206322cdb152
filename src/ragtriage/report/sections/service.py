"""What it costs and how long it takes, stage by stage, read from the traces."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ragtriage.report.model import Report
from ragtriage.report.sections.case_list import CaseLine

__all__ = ["Service", "ServiceLine", "service"]

_TOTAL = "total"
_SLOWEST = 5


@dataclass(frozen=True, slots=True)
class ServiceLine:
    """One stage: questions that record it, median and 95th percentile in milliseconds, money in US dollars.

    None: no trace records it. `share`: its part of the time of all stages.
    """

    stage: str
    questions: int
    p50_ms: float | None
    p95_ms: float | None
    share: float | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class Service:
    """The stages in the order in which they first ran, costs without timing last; whole questions; tokens a question.

    `slowest`: ids and milliseconds of the cases that took longest.
    """

    stages: tuple[ServiceLine, ...]
    whole: ServiceLine | None
    first_token: ServiceLine | None
    tokens: tuple[tuple[str, float], ...]
    slowest: tuple[tuple[str, float], ...]


def service(report: Report, lines: Iterable[CaseLine]) -> Service:
    """Return time and money by stage and in all."""
    durations: dict[str, list[float]] = defaultdict(list)
    costs: dict[str, list[float]] = defaultdict(list)
    for trace in report.traces.values():
        by_stage: dict[str, float] = defaultdict(float)
        for timing in trace.timings or ():
            if timing.stage != _TOTAL:
                by_stage[timing.stage] += timing.duration_ms
        for stage, duration in by_stage.items():
            durations[stage].append(duration)
        for stage, money in (trace.cost.stages if trace.cost else {}).items():
            costs[stage].append(money)
    spent = math.fsum(ms for found in durations.values() for ms in found)
    stages = dict.fromkeys([*durations, *costs])
    timed = [(line.case_id, line.milliseconds) for line in lines if line.milliseconds is not None]
    paid = [trace.cost.total for trace in report.traces.values() if trace.cost is not None]
    first = [t.first_token_ms for t in report.traces.values() if t.first_token_ms is not None]
    return Service(
        stages=tuple(_line(stage, durations[stage], costs[stage], spent=spent) for stage in stages),
        whole=_line("whole question", [ms for _, ms in timed], paid, spent=0) if timed or paid else None,
        first_token=_line("first token", first, [], spent=0) if first else None,
        tokens=_tokens(report),
        slowest=tuple(sorted(timed, key=lambda one: -one[1])[:_SLOWEST]),
    )


def _line(stage: str, durations: list[float], costs: list[float], *, spent: float) -> ServiceLine:
    return ServiceLine(
        stage=stage,
        questions=max(len(durations), len(costs)),
        p50_ms=_percentile(durations, 0.5),
        p95_ms=_percentile(durations, 0.95),
        share=math.fsum(durations) / spent if spent and durations else None,
        cost=math.fsum(costs) if costs else None,
    )


def _tokens(report: Report) -> tuple[tuple[str, float], ...]:
    """Return the mean number of tokens a question, of each kind that traces record."""
    kinds = {"input": "in", "output": "out", "cached": "from a cache"}
    found: dict[str, list[int]] = defaultdict(list)
    for trace in report.traces.values():
        for kind in kinds:
            count = getattr(trace.tokens, kind) if trace.tokens is not None else None
            if count is not None:
                found[kind].append(count)
    return tuple((said, sum(found[kind]) / len(found[kind])) for kind, said in kinds.items() if kind in found)


def _percentile(values: list[float], share: float) -> float | None:
    """Return the smallest value that at least `share` of the values do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else None
