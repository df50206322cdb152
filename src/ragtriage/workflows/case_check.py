"""Hold the scores of one case against limits, and say what does not hold and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ragtriage.core.errors import BadInput
from ragtriage.core.score import Failed, Outcome, Undefined, Value
from ragtriage.decisions.drops import ROUNDING
from ragtriage.report.escaping import one_line
from ragtriage.report.wording import count, number
from ragtriage.runs.selection import Selected
from ragtriage.workflows.single_case import MeasuredCase, metric_for

__all__ = ["check_case", "outcome_of"]

_WIDTH: Final = 300


def outcome_of(measured: MeasuredCase, name: str, *, level: str | None) -> tuple[Selected, str | None, Outcome]:
    """Return a metric, the level it was taken at and its score of this case; raises UnknownName, BadInput."""
    metric = metric_for(name, context_size=measured.inputs.configuration.system.context_size)
    if level is not None and metric.metric.levels and level not in metric.metric.levels:
        known = ", ".join(metric.metric.levels)
        raise BadInput(f"{metric.name} is not measured at the level {level!r}. Its levels are: {known}")
    scores = measured.scores(metric)
    wanted = level if metric.metric.levels else None
    for score in scores:
        if wanted in (None, score.level):
            return metric, score.level, score.outcome
    return metric, wanted, Undefined(f"nothing of this case can be measured at the level {wanted!r}")


def check_case(
    measured: MeasuredCase, limits: Mapping[str, float], *, level: str | None, allow_undefined: bool
) -> str | None:
    """Return in words which limits do not hold and what broke the case; None where all hold.

    Raises UnknownName for a metric that does not exist and BadInput for a limit that means nothing.
    """
    if not limits:
        raise BadInput("check() was given no metric to hold: check(retrieval_recall=0.8)")
    lines = []
    for name, limit in limits.items():
        metric, taken_at, outcome = outcome_of(measured, name, level=level)
        told = _told(metric, outcome, _limit(metric, limit), allow_undefined=allow_undefined)
        if told is not None:
            lines.append(f"  {metric.name}{f' ({taken_at})' if taken_at else ''}: {told}")
    if not lines:
        return None
    head = f"{len(lines)} of {count(len(limits), 'limit')} {'does' if len(lines) == 1 else 'do'} not hold"
    return "\n".join([f"case {measured.case.case_id!r}: {head}", *lines, *_cause(measured)])


def _limit(metric: Selected, limit: Any) -> float:
    low, high = metric.metric.bounds
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise BadInput(f"the limit of {metric.name} must be a number. Got {limit!r}")
    if metric.metric.better == "neither":
        raise BadInput(f"of {metric.name} neither more nor less is better: compare rag.score({metric.name!r}) yourself")
    if not low <= limit <= high:
        raise BadInput(f"the limit of {metric.name} lies between {low:g} and {high:g}. Got {limit:g}")
    return float(limit)


def _told(metric: Selected, outcome: Outcome, limit: float, *, allow_undefined: bool) -> str | None:
    match outcome:
        case Value(value=value, support=support):
            higher = metric.metric.better == "higher"
            if value >= limit - ROUNDING if higher else value <= limit + ROUNDING:
                return None
            shown = number(value, unit=metric.metric.unit)
            return f"{shown} (support {support}), limit {'at least' if higher else 'at most'} {limit:g}"
        case Undefined(reason=reason):
            if allow_undefined:
                return None
            return f"undefined, {one_line(reason, width=_WIDTH)}; allow_undefined=True lets this pass"
        case Failed(stage=stage, error=error, message=message):
            return f"failed in {stage}: {one_line(f'{error}: {message}', width=_WIDTH)}"


def _cause(measured: MeasuredCase) -> list[str]:
    """Say which stage broke the case, and what was asked and answered."""
    found, trace = measured.result.diagnosis, measured.trace
    if found is not None:
        cause = [f"cause: {found.leaf}: {found.cause}", f"advice: {found.advice}"]
    elif measured.result.ok is None:
        cause = ["cause: none named, the case declares nothing that could fail"]
    else:
        cause = ["cause: none named, the case is ok by its expectations"]
    answer = [] if trace.answer is None else [f"answer: {trace.answer.text}"]
    return [one_line(line, width=_WIDTH) for line in (*cause, f"question: {measured.case.question}", *answer)]
