"""The release decision: pass, fail or undecidable. A missing number is never a pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ragtriage.core.catalogue import METRICS
from ragtriage.core.configuration import Configuration, GatePolicy, GateRule
from ragtriage.core.declare import written
from ragtriage.core.records import Case
from ragtriage.core.results import CASES, CaseScore, GateResult, MetricRow, Results, RuleResult, UnitResult, Verdict
from ragtriage.core.score import Value
from ragtriage.decisions.baseline import Baseline, Table
from ragtriage.decisions.drops import PROXY, ROUNDING, Drop, judge_drops
from ragtriage.decisions.members import Members

__all__ = ["canonical_name", "critical_rules", "decide", "policy_rules", "verdict_of"]

_SHOWN = 5


def decide(
    results: Results,
    scores: Sequence[CaseScore],
    cases: Sequence[Case],
    settings: Configuration,
    *,
    units: Sequence[UnitResult] = (),
    baseline: Baseline | None = None,
    doubts: Sequence[str] = (),
) -> GateResult:
    """Hold a run against the gate rules of a configuration; `units`: its documents, chunks ... with their scores.

    Beside the rules stand what no configuration can switch off: a critical metric that fired anywhere fails the run;
    more failed cases than `gate_policy.max_failed_share`, or a run that is not complete, leave it undecidable; so do
    `doubts`, why the judge may not be believed.
    Fail if anything fails, else undecidable if anything is, else pass.
    """
    table, members = Table.of(scores, units), Members(cases, units)
    named = [rule.model_copy(update={"metric": canonical_name(rule.metric)}) for rule in settings.gate]
    settings = settings.model_copy(update={"gate": tuple(named)})
    drops = judge_drops(results, table, members, settings, baseline=baseline)
    rules = [
        _from_drop(rule, drops[place], results)
        if rule.max_drop is not None
        else _absolute(rule, results, table, members, settings.gate_policy)
        for place, rule in enumerate(settings.gate)
    ]
    unsure = [_policy("judge", 0.0, 1.0, reason) for reason in doubts]
    every = (*rules, *critical_rules(results, rules), *policy_rules(results, settings.gate_policy), *unsure)
    return GateResult(verdict=verdict_of([rule.verdict for rule in every]), rules=tuple(every))


def canonical_name(metric: str) -> str:
    """Write a metric's name as rows have it: no spaces around its parts, parameters in their order, values by type.

    >>> canonical_name("retrieval.ndcg@10( gain = linear )"), canonical_name("ingest.ner_f1(entity = street name)")
    ('retrieval.ndcg@10(gain=linear)', 'ingest.ner_f1(entity=street name)')
    >>> canonical_name("ingest.freshness_lag(percentile=99.0)"), canonical_name("retrieval.rbp(condensed=true)")
    ('ingest.freshness_lag(percentile=99)', 'retrieval.rbp(condensed=True)')
    """
    base, _, rest = metric.strip().partition("(")
    pairs = (part.partition("=") for part in rest.removesuffix(")").split(",") if part.strip())
    name = "".join(base.split())
    given = sorted(f"{key.strip()}{equals}{_value(name, key.strip(), value.strip())}" for key, equals, value in pairs)
    return f"{name}({','.join(given)})" if given else name


def _value(metric: str, parameter: str, text: str) -> str:
    """Write the value of a parameter as rows do; a text is written as it is."""
    base = metric.partition("@")[0]
    kind = METRICS[base].parameters.get(parameter) if base in METRICS else None
    if kind is bool and text.lower() in {"true", "false"}:
        return written(text.lower() == "true")
    if kind is not float:
        return text
    try:
        return written(float(text))
    except ValueError:
        return text


def verdict_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Combine verdicts: the worst decides, and fail is worse than undecidable.

    >>> verdict_of(["pass", "undecidable", "pass"])
    'undecidable'
    """
    if "fail" in verdicts:
        return "fail"
    return "undecidable" if "undecidable" in verdicts else "pass"


def critical_rules(results: Results, rules: Sequence[RuleResult]) -> list[RuleResult]:
    """Return a failed rule for each critical metric that fired in any case and that no rule has failed already.

    One that rests on an uncalibrated judge leaves the run undecidable instead.
    """
    failed = {_base(rule.metric) for rule in rules if rule.verdict == "fail"}
    fired: dict[str, list[str]] = {}
    for case in results.cases:
        for metric in case.critical:
            fired.setdefault(metric, []).append(case.case_id)
    found = []
    for metric, ids in sorted(fired.items()):
        if metric in failed:
            continue
        row = results.row(metric)
        proxy = row is not None and row.proxy
        found.append(
            RuleResult(
                metric=metric,
                kind="max",
                value=None if row is None else row.value,
                interval=None if row is None else row.interval,
                scored=0 if row is None else row.scored,
                limit=0.0,
                critical=True,
                verdict="undecidable" if proxy else "fail",
                reason=f"a critical metric fired in {_names(ids)}{f', but it {PROXY}' if proxy else ''}",
            )
        )
    return found


def policy_rules(results: Results, policy: GatePolicy) -> list[RuleResult]:
    """Return what leaves the whole run undecidable: too many failed cases, or a run that is not complete."""
    found = []
    counts = results.counts
    share = counts.failed / counts.cases if counts.cases else 0.0
    limit = policy.max_failed_share
    if not counts.cases:
        found.append(_policy("cases", 0.0, 1.0, "the run has no cases"))
    if share > limit:
        told = f"{counts.failed} of {counts.cases} cases failed ({share:.1%}); at most {limit:.1%} may"
        found.append(_policy("failed_share", share, limit, told))
    if results.status != "complete":
        told = f"the run is {results.status}: {counts.traced} of {counts.cases} cases are there"
        found.append(_policy("complete", counts.traced / max(counts.cases, 1), 1.0, told))
    return found


def _policy(name: str, value: float, limit: float, reason: str) -> RuleResult:
    return RuleResult(
        metric=f"gate_policy.{name}", kind="policy", value=value, limit=limit, verdict="undecidable", reason=reason
    )


def _absolute(rule: GateRule, results: Results, table: Table, members: Members, policy: GatePolicy) -> RuleResult:
    kind, limit = _limit(rule)
    row = results.row(rule.metric, level=rule.level, where=rule.slice)
    if row is None:
        return _result(rule, None, "undecidable", _no_row(rule))
    if row.proxy and not rule.allow_proxy:
        return _result(rule, row, "undecidable", PROXY)
    if rule.critical and (worse := _worse(rule, row, table, members)):
        return _result(rule, row, "fail", f"critical: {_names(worse, row.population)} beyond the limit")
    if (reason := _undecidable(rule, row, policy)) is not None:
        return _result(rule, row, "undecidable", reason)
    number = _number(rule, row)
    if number is None:
        return _result(rule, row, "undecidable", f"there is no interval whose {rule.on} end could be held")
    holds = number >= limit - ROUNDING if kind == "min" else number <= limit + ROUNDING
    sign = "at least" if kind == "min" else "at most"
    what = "the value" if rule.on == "value" else f"the {rule.on} interval end"
    told = f"{what} {_said(number, 4)} {'is' if holds else 'is not'} {sign} {_said(limit, 6)}"
    return _result(rule, row, "pass" if holds else "fail", told)


def _said(value: float, digits: int) -> str:
    """Word a number with so many digits, and whole where there are more before its point: 1.8e+05 compares badly."""
    return f"{value:.0f}" if abs(value) >= 10**digits - 0.5 else f"{value:.{digits}g}"


def _undecidable(rule: GateRule, row: MetricRow, policy: GatePolicy) -> str | None:
    """Say why a row decides nothing; None where it does."""
    if row.value is None:
        return f"there is no value: {row.reason or 'no case was scored'}"
    least = policy.min_scored
    if row.scored < least:
        return f"{row.scored} {row.population} are scored, at least {least} are needed"
    asked = row.scored + row.failed
    if row.failed and rule.critical:
        return f"{row.failed} of {asked} {row.population} failed: a critical metric must be measured on every case"
    if row.failed > policy.max_failed_share * asked:
        share, most = row.failed / asked, policy.max_failed_share
        return f"{row.failed} of {asked} {row.population} failed ({share:.1%}); at most {most:.1%}"
    return None


def _number(rule: GateRule, row: MetricRow) -> float | None:
    if rule.on == "value":
        return row.value
    if row.interval is None:
        return None
    return row.interval[0] if rule.on == "lower" else row.interval[1]


def _worse(rule: GateRule, row: MetricRow, table: Table, members: Members) -> list[str]:
    """Return the cases or units of the slice whose own value lies beyond the limit of a critical rule."""
    outcomes = table.of_metric(row.name, row.level)
    found = []
    for name in members.ids(row.population, rule.slice, metric=row.name):
        outcome = outcomes.get(name)
        if not isinstance(outcome, Value):
            continue
        above = rule.max is not None and outcome.value > rule.max + ROUNDING
        below = rule.min is not None and outcome.value < rule.min - ROUNDING
        if above or below:
            found.append(name)
    return found


def _from_drop(rule: GateRule, drop: Drop, results: Results) -> RuleResult:
    row = results.row(rule.metric, level=rule.level, where=rule.slice)
    shown = _result(rule, row, drop.verdict, drop.reason)
    return shown.model_copy(update={"value": drop.value, "interval": drop.interval, "scored": drop.pairs})


def _no_row(rule: GateRule) -> str:
    where = "" if not rule.slice else f" over {_where(rule.slice)}"
    level = "" if rule.level is None else f" at the level {rule.level}"
    return f"the run has no row of {rule.metric}{level}{where}: no case is there, or it was not computed"


def _result(rule: GateRule, row: MetricRow | None, verdict: Verdict, reason: str) -> RuleResult:
    kind, limit = _limit(rule)
    return RuleResult(
        metric=rule.metric,
        level=rule.level if row is None else row.level,
        slice=dict(rule.slice),
        kind=kind,
        value=None if row is None else row.value,
        interval=None if row is None else row.interval,
        scored=0 if row is None else row.scored,
        limit=limit,
        critical=rule.critical,
        verdict=verdict,
        reason=reason,
    )


def _limit(rule: GateRule) -> tuple[Literal["min", "max", "max_drop"], float]:
    if rule.min is not None:
        return "min", rule.min
    if rule.max is not None:
        return "max", rule.max
    return "max_drop", rule.max_drop or 0.0


def _base(name: str) -> str:
    return name.partition("@")[0].partition("(")[0]


def _where(where: Mapping[str, str]) -> str:
    return " and ".join(f"{name} = {value}" for name, value in where.items())


def _names(ids: Sequence[str], population: str = CASES) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    what = population if len(ids) > 1 else population.removesuffix("s")
    return f"{len(ids)} {what}: {', '.join(ids[:_SHOWN])}{more}"
