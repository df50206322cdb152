"""When a case is ok: no critical metric fired and every declared expectation holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ragtriage.core.score import Value
from ragtriage.decisions.facts import CaseFacts

__all__ = ["Broken", "Judgement", "judge_case"]

Expectation = Literal[
    "critical", "service", "behaviour", "facts", "forbidden", "format", "fields", "reference", "evidence"
]


@dataclass(frozen=True, slots=True)
class Broken:
    """One expectation that does not hold, in words."""

    expectation: Expectation
    text: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a case is ok; None: it declares nothing, or nothing of what it declares could be measured."""

    ok: bool | None
    broken: tuple[Broken, ...] = ()
    critical: tuple[str, ...] = ()

    @property
    def kinds(self) -> frozenset[Expectation]:
        """The kinds of expectation that are broken."""
        return frozenset(broken.expectation for broken in self.broken)


def judge_case(facts: CaseFacts, *, least_correctness: float = 0.5) -> Judgement:
    """Say whether a case is ok and name what is broken.

    Held against the case: behaviour; all required facts; no forbidden claim; format; fields. Where none of the last
    four is declared (or none can be measured, because a system that only retrieves gives no answer) and the case is to
    be answered: the reference answer, by correctness of at least `least_correctness`; where that is not declared or no
    judge ran: all groups of evidence in the context (in the first k where the trace has no context).
    """
    critical = tuple(score.metric for score in facts.critical if score.fired)
    broken = [Broken("critical", f"{_number(s.outcome)} {s.metric}") for s in facts.critical if s.fired]
    declared = _declares_anything(facts)
    if declared and facts.service.error is not None and not facts.answered:
        broken.append(Broken("service", f"no answer came: {facts.service.error}"))
        return Judgement(ok=False, broken=tuple(broken), critical=critical)
    content = [finding for check in (_facts, _forbidden, _format, _fields) if (finding := check(facts)) is not None]
    held = [_behaviour(facts), *content]
    if not content and facts.expected in {None, "answer"}:
        held.append(_reference(facts, least_correctness) or _evidence(facts))
    measured = [finding for finding in held if finding is not None]
    broken.extend(finding for finding in measured if finding is not _HOLDS)
    if broken:
        return Judgement(ok=False, broken=tuple(broken), critical=critical)
    return Judgement(ok=True if measured else None)


_HOLDS = Broken("behaviour", "")


def _declares_content(facts: CaseFacts) -> bool:
    return facts.declares_facts or facts.declares_forbidden or facts.declares_format or facts.declares_fields


def _declares_anything(facts: CaseFacts) -> bool:
    return bool(_declares_content(facts) or facts.expected or facts.declares_reference or facts.groups)


def _behaviour(facts: CaseFacts) -> Broken | None:
    if facts.expected is None or facts.actual is None:
        return None
    if facts.actual == facts.expected:
        return _HOLDS
    return Broken("behaviour", f"had to {facts.expected}, but the answer's behaviour is {facts.actual}")


def _listed(expectation: Expectation, problems: tuple[str, ...] | None, told: Callable[[str], str]) -> Broken | None:
    if problems is None:
        return None
    return Broken(expectation, told("; ".join(problems))) if problems else _HOLDS


def _facts(facts: CaseFacts) -> Broken | None:
    return _listed("facts", facts.missed_facts, lambda text: f"required facts are not stated: {text}")


def _forbidden(facts: CaseFacts) -> Broken | None:
    return _listed("forbidden", facts.forbidden_made, lambda text: f"forbidden claims are made: {text}")


def _format(facts: CaseFacts) -> Broken | None:
    return _listed("format", facts.format_problems, lambda text: f"the form does not hold: {text}")


def _fields(facts: CaseFacts) -> Broken | None:
    return _listed("fields", facts.field_problems, lambda text: f"fields are wrong: {text}")


def _reference(facts: CaseFacts, least: float) -> Broken | None:
    if not facts.declares_reference or not isinstance(facts.correctness, Value):
        return None
    if facts.correctness.value >= least:
        return _HOLDS
    return Broken("reference", f"correctness {facts.correctness.value:.2f} against the reference is below {least:g}")


def _evidence(facts: CaseFacts) -> Broken | None:
    reached = [(group.name, facts.reached(group)) for group in facts.groups]
    lost = [name for name, state in reached if state is False]
    if lost:
        return Broken("evidence", f"evidence did not reach the generator: {'; '.join(lost)}")
    return _HOLDS if reached and all(state is not None for _, state in reached) else None


def _number(outcome: object) -> str:
    return f"{outcome.value:g}" if isinstance(outcome, Value) else "no"
