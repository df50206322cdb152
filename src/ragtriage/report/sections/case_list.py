"""Every case with what became of it, those that broke first, in the order of the pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragtriage.core.records import Case, Trace
from ragtriage.core.results import CaseResult, Diagnosis, Leaf
from ragtriage.core.score import Failed
from ragtriage.report.model import Report
from ragtriage.report.wording import LEAVES

__all__ = ["FIELDS", "STATES", "CaseLine", "State", "case_list"]

State = Literal["failed", "not_ok", "ok", "no_expectation"]
STATES: dict[State, str] = {
    "failed": "failed",
    "not_ok": "not ok",
    "ok": "ok",
    "no_expectation": "no expectation",
}
FIELDS = ("kind", "language", "risk", "origin", "difficulty", "intent", "split", "tags")  # what cases are sliced by
_LEAF_ORDER: dict[Leaf, int] = {leaf: place for place, leaf in enumerate(LEAVES)}
_TOTAL = "total"


@dataclass(frozen=True, slots=True)
class CaseLine:
    """One case; `failure`: what broke while it was asked. `question` and `kind` are None where the case is unknown.

    `facts`: its values in each of `FIELDS`. `milliseconds`, `cost` (US dollars) None: the trace does not record them.
    """

    result: CaseResult
    state: State
    failure: Failed | None
    question: str | None
    kind: str | None
    language: str | None
    facts: tuple[tuple[str, ...], ...]
    milliseconds: float | None
    cost: float | None

    @property
    def case_id(self) -> str:
        """The case's id."""
        return self.result.case_id

    @property
    def diagnosis(self) -> Diagnosis | None:
        """Where it broke, if it did."""
        return self.result.diagnosis


def case_list(report: Report) -> tuple[CaseLine, ...]:
    """Return all cases: broken ones by leaf, then failures without a diagnosis, then the rest in golden order."""
    return tuple(sorted((_line(report, result) for result in report.results.cases), key=_rank))


def _line(report: Report, result: CaseResult) -> CaseLine:
    case, trace = report.cases.get(result.case_id), report.traces.get(result.case_id)
    failure = report.failure(result)
    asked = case.question if case else trace.question if trace else None
    return CaseLine(
        result=result,
        state=_state(result, failure),
        failure=failure,
        question=asked,
        kind=case.kind if case else None,
        language=case.language if case else None,
        facts=tuple(_values(case, name) for name in FIELDS),
        milliseconds=_duration(trace),
        cost=trace.cost.total if trace is not None and trace.cost is not None else None,
    )


def _values(case: Case | None, field: str) -> tuple[str, ...]:
    value = getattr(case, field) if case is not None else None
    if isinstance(value, tuple):
        return tuple(dict.fromkeys(value))
    return () if value is None else (str(value),)


def _duration(trace: Trace | None) -> float | None:
    timings = (trace.timings if trace is not None else None) or ()
    total = next((timing.duration_ms for timing in timings if timing.stage == _TOTAL), None)
    if total is not None or not timings:
        return total
    return max(timing.start_ms + timing.duration_ms for timing in timings)


def _state(result: CaseResult, failure: Failed | None) -> State:
    if failure is not None:
        return "failed"
    match result.ok:
        case True:
            return "ok"
        case False:
            return "not_ok"
        case None:
            return "no_expectation"


def _rank(line: CaseLine) -> tuple[int, int]:
    if line.state in ("failed", "not_ok"):
        leaf = line.diagnosis.leaf if line.diagnosis else None
        return (0, len(LEAVES) if leaf is None else _LEAF_ORDER[leaf])
    return (1, 0) if line.state == "ok" else (2, 0)
