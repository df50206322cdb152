"""How far the judges can be trusted: who judged what, whether anybody measured it, and what rests on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ragtriage.core.results import MetricRow, RuleResult
from ragtriage.core.score import Failed
from ragtriage.core.verdicts import Label, Verdicts
from ragtriage.report.model import Report

__all__ = ["JudgeLine", "JudgeTrust", "judge_trust"]


@dataclass(frozen=True, slots=True)
class JudgeLine:
    """One judge with one rubric: how many cases and claims of answers it judged, and how its verdicts fell.

    `trusted`: what its agreement with people was measured for. `unread`: cases in which a reply of it could not be
    read. `disputed`: claims on which a second judge disagreed. `served`: the models that its endpoint used.
    """

    judge: str
    rubric: str
    calibrated: bool
    cases: int
    claims: int
    labels: tuple[tuple[Label, int], ...]
    nuggets: int
    trusted: tuple[str, ...]
    unread: int
    disputed: int
    served: tuple[str, ...]

    @property
    def agreement(self) -> str:
        """Whether anybody measured how far it agrees with people."""
        if self.calibrated:
            return "measured"
        return f"measured for {', '.join(self.trusted)}" if self.trusted else "not measured"


@dataclass(frozen=True, slots=True)
class JudgeTrust:
    """`proxies`: metrics over all cases that rest on an uncalibrated judge, of `metrics` in all.

    `rules`: gate rules on such a metric. `failed`: cases in which a judge failed. `suspect`: cases whose diagnosis
    blames the judge.
    """

    judges: tuple[JudgeLine, ...]
    metrics: int
    proxies: tuple[MetricRow, ...]
    rules: tuple[RuleResult, ...]
    failed: int
    suspect: int


def judge_trust(report: Report) -> JudgeTrust:
    """Return what is known of the judges of a run."""
    results = report.results
    groups: dict[tuple[str, str, bool], list[Verdicts]] = {}
    for verdicts in report.verdicts.values():
        groups.setdefault((verdicts.judge, verdicts.rubric, verdicts.calibrated), []).append(verdicts)
    whole = [row for row in results.metrics if not row.slice]
    proxies = tuple(row for row in whole if row.proxy)
    names = {row.name for row in proxies}
    broke = {s.case_id for s in report.scores if isinstance(s.outcome, Failed) and s.outcome.stage == "judge"}
    return JudgeTrust(
        judges=tuple(_line(*key, found) for key, found in sorted(groups.items())),
        metrics=len(whole),
        proxies=proxies,
        rules=tuple(r for r in (results.gate.rules if results.gate is not None else ()) if r.metric in names),
        failed=len(broke),
        suspect=sum(case.diagnosis is not None and case.diagnosis.leaf == "judge" for case in results.cases),
    )


def _line(judge: str, rubric: str, calibrated: bool, found: list[Verdicts]) -> JudgeLine:  # noqa: FBT001 - a key
    claims = [claim for verdicts in found for claim in verdicts.claims or () if claim.of == "answer"]
    labels = Counter(claim.context for claim in claims if claim.context is not None)
    order: tuple[Label, ...] = ("supported", "contradicted", "not_in_context")
    return JudgeLine(
        judge=judge,
        rubric=rubric,
        calibrated=calibrated,
        cases=len(found),
        claims=len(claims),
        labels=tuple((label, labels[label]) for label in order),
        nuggets=sum(len(verdicts.nuggets or ()) for verdicts in found),
        trusted=tuple(sorted(set.intersection(*(set(verdicts.trusted) for verdicts in found)))),
        unread=sum(bool(verdicts.failed) for verdicts in found),
        disputed=sum(len(verdicts.disputed) for verdicts in found),
        served=tuple(dict.fromkeys(model for verdicts in found for model in verdicts.served)),
    )
