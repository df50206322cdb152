"""Decide again whether a stored run may ship, by its own rules or by those of another configuration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtriage.core.configuration import Configuration
from ragtriage.core.errors import BadInput
from ragtriage.core.results import GateResult, RuleResult, Verdict
from ragtriage.decisions.doubts import doubts
from ragtriage.decisions.gate import decide
from ragtriage.report.escaping import one_line
from ragtriage.report.wording import DECISIONS, interval, limit, number, scope
from ragtriage.workflows.compare import baseline_of
from ragtriage.workflows.run import Run
from ragtriage.workflows.settings import read_settings
from ragtriage.workflows.stored import configuration_of

__all__ = ["Gate", "gate"]

_EXIT: dict[Verdict, int] = {"pass": 0, "fail": 1, "undecidable": 3}
_SIGNS: dict[Verdict, str] = {"pass": "✓ pass", "fail": "✗ fail", "undecidable": "? undecidable"}


@dataclass(frozen=True, slots=True, repr=False)
class Gate:
    """A release decision with its rules."""

    result: GateResult
    run_id: str

    @property
    def verdict(self) -> Verdict:
        """Pass, fail or undecidable."""
        return self.result.verdict

    @property
    def passed(self) -> bool:
        """Whether every rule passes; what cannot be decided has not passed."""
        return self.result.verdict == "pass"

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 undecidable."""
        return _EXIT[self.result.verdict]

    @property
    def reasons(self) -> tuple[str, ...]:
        """What stands in the way of a pass, one sentence a rule."""
        return tuple(f"{_about(rule)}: {rule.reason}" for rule in self.result.rules if rule.verdict != "pass")

    def to_json(self) -> dict[str, Any]:
        """Return it as `results.json` has it."""
        return self.result.model_dump(mode="json")

    def __repr__(self) -> str:
        """Draw the verdict and every rule."""
        lines = [f"{DECISIONS[self.verdict]} (run {one_line(self.run_id)})"]
        if not self.result.rules:
            lines.append("  no gate rule is set")
        lines += [f"  {one_line(_line(rule))}" for rule in self.result.rules]
        return "\n".join(lines) + "\n"


def gate(run: str | Path | Run, *, baseline: str | Path | Run | None = None, config: str | Path | None = None) -> Gate:
    """Hold a run against gate rules: those of `config`, else those that it was made with.

    `baseline`: the run that drops are measured against. Raises BadInput where the run has no rules of its own and no
    configuration is given, or one cannot be read.
    """
    held = run if isinstance(run, Run) else Run.load(run)
    base = None if baseline is None else baseline if isinstance(baseline, Run) else Run.load(baseline)
    settings = _settings(held, config)
    report = held.report()
    result = decide(
        report.results,
        report.scores,
        list(report.cases.values()),
        settings,
        units=report.units,
        baseline=None if base is None else baseline_of(base),
        doubts=doubts(report.verdicts.values(), report.results, settings),
    )
    return Gate(result, report.results.run_id)


def _settings(run: Run, config: str | Path | None) -> Configuration:
    if config is not None:
        return read_settings(Path(config)).configuration
    found = configuration_of(run)
    if found is None:
        raise BadInput("the run does not say by which rules it is to be held; name a configuration with -c")
    return found


def _about(rule: RuleResult) -> str:
    where = scope(rule.level, rule.slice)
    return f"{rule.metric} ({where})" if where else rule.metric


def _line(rule: RuleResult) -> str:
    ends = f" [{interval(rule.interval)}]" if rule.interval is not None else ""
    critical = ", critical" if rule.critical else ""
    shown = f"{number(rule.value)}{ends}, {limit(rule)}{critical}, n = {rule.scored}"
    return f"{_SIGNS[rule.verdict]}: {_about(rule)}: {shown}: {rule.reason}"
