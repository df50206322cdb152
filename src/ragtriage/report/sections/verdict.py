"""May it ship: the gate's verdict in one sentence, with every rule's number, limit, interval and denominator."""

from __future__ import annotations

from dataclasses import dataclass

from ragtriage.core.results import CASES, Counts, MetricRow, Results, RuleResult, Verdict
from ragtriage.report.model import Report
from ragtriage.report.wording import DECISIONS, count, limit

__all__ = ["Decision", "RuleLine", "verdict"]

_ORDER: dict[Verdict, int] = {"fail": 0, "undecidable": 1, "pass": 2}


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One gate rule; `row`: its metric's, with what it is undefined for and failed in (None: the run has none)."""

    rule: RuleResult
    demand: str
    row: MetricRow | None

    @property
    def unit(self) -> str:
        """The unit of the number."""
        return self.row.unit if self.row is not None else ""

    @property
    def undefined(self) -> int | None:
        """In how many cases the metric is undefined."""
        return self.row.undefined if self.row is not None else None

    @property
    def failed(self) -> int | None:
        """In how many cases the metric failed."""
        return self.row.failed if self.row is not None else None

    @property
    def population(self) -> str:
        """What n counts; empty for golden cases."""
        return self.row.population if self.row is not None and self.row.population != CASES else ""

    @property
    def proxy(self) -> bool:
        """Whether the number rests on an uncalibrated judge."""
        return self.row is not None and self.row.proxy


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict (None: the run was asked for none), in words and in one sentence, and the rules, worst first."""

    verdict: Verdict | None
    word: str
    sentence: str
    counts: Counts
    status: str
    rules: tuple[RuleLine, ...]


def verdict(report: Report) -> Decision:
    """Say whether it may ship and why."""
    results = report.results
    rules = () if results.gate is None else results.gate.rules
    lines = [_line(results, rule) for rule in rules]
    lines.sort(key=lambda line: (_ORDER[line.rule.verdict], not line.rule.critical))
    decided = results.gate.verdict if results.gate is not None and rules else None
    return Decision(
        verdict=decided,
        word="No gate" if decided is None else DECISIONS[decided],
        sentence=" ".join(filter(None, [_rules_sentence(rules), _cases_sentence(results)])),
        counts=results.counts,
        status=results.status,
        rules=tuple(lines),
    )


def _line(results: Results, rule: RuleResult) -> RuleLine:
    return RuleLine(rule=rule, demand=limit(rule), row=_row(results, rule))


def _row(results: Results, rule: RuleResult) -> MetricRow | None:
    return results.row(rule.metric, level=rule.level, where=rule.slice)


def _rules_sentence(rules: tuple[RuleResult, ...]) -> str:
    if not rules:
        return "No gate rule is set."
    failing = sum(rule.verdict == "fail" for rule in rules)
    open_ = sum(rule.verdict == "undecidable" for rule in rules)
    parts = []
    if failing:
        parts.append(f"{failing} of {count(len(rules), 'gate rule')} {'fails' if failing == 1 else 'fail'}")
    if open_:
        verb = "cannot" if failing == 0 else "more cannot"
        of = f"{open_} of {count(len(rules), 'gate rule')}" if failing == 0 else f"{open_}"
        parts.append(f"{of} {verb} be decided")
    if not parts:
        return f"All {len(rules)} gate rules pass." if len(rules) > 1 else "The one gate rule passes."
    return ", ".join(parts) + "."


def _cases_sentence(results: Results) -> str:
    counts = results.counts
    if counts.not_ok == 0:
        return f"Of {count(counts.cases, 'case')} none is known to be wrong."
    worst = sorted((s for s in results.diagnosis if not s.slice), key=lambda share: -share.cases)[:2]
    where = ", ".join(f"{share.cases} at {share.leaf}" for share in worst)
    verb = "is" if counts.not_ok == 1 else "are"
    said = f"{counts.not_ok:,} of {count(counts.cases, 'case')} {verb} not ok"
    return f"{said}; most broke here: {where}." if where else f"{said}."
