"""JUnit XML: a test case for each golden case, a suite for the gate rules, so that CI systems show both."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ragtriage.core.declare import report_format
from ragtriage.core.results import MetricRow
from ragtriage.core.score import Failed
from ragtriage.report.escaping import visible
from ragtriage.report.model import Report
from ragtriage.report.sections.case_list import CaseLine, case_list
from ragtriage.report.sections.verdict import RuleLine, verdict
from ragtriage.report.wording import PROXY, command, number, scope

__all__ = ["junit"]

# What XML 1.0 may not hold; TAB and LF may stand in it, CR would come back as LF.
_ILLEGAL = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@report_format(suffix=".xml", title="JUnit XML")
def junit(report: Report) -> str:
    """Return the JUnit document: failure = not ok, error = failed, skipped = nothing is expected of the case."""
    cases, decision = case_list(report), verdict(report)
    root = Element("testsuites", {"name": "ragtriage"})
    suite = _suite(root, "golden cases", [line.state for line in cases])
    _properties(suite, report)
    for line in cases:
        _case(suite, line, report)
    states = {"pass": "ok", "fail": "not_ok", "undecidable": "failed"}
    gate = _suite(root, "gate", [states[rule.rule.verdict] for rule in decision.rules])
    for rule in decision.rules:
        _rule(gate, rule)
    for total in ("tests", "failures", "errors", "skipped"):
        root.set(total, str(sum(int(suite.get(total, "0")) for suite in root)))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _text(value: str) -> str:
    return _ILLEGAL.sub(lambda m: visible(m.group()) if visible(m.group()) != m.group() else "\ufffd", value)


def _suite(root: Element, name: str, states: list[str]) -> Element:
    counts = {
        "tests": len(states),
        "failures": states.count("not_ok"),
        "errors": states.count("failed"),
        "skipped": states.count("no_expectation"),
    }
    return SubElement(root, "testsuite", {"name": name, **{key: str(n) for key, n in counts.items()}})


def _properties(suite: Element, report: Report) -> None:
    """Write the metrics over all cases, so that each figure in CI stands with its denominator."""
    holder = SubElement(suite, "properties")
    for row in report.results.metrics:
        if not row.slice:
            name = f"{row.name} [{row.level}]" if row.level else row.name
            SubElement(holder, "property", {"name": _text(name), "value": _text(_figure(row))})


def _figure(row: MetricRow) -> str:
    shown = "no value" if row.value is None else repr(row.value)
    text = f"{shown} scored={row.scored} undefined={row.undefined} failed={row.failed}"
    return f"{text} ({PROXY})" if row.proxy else text


def _case(suite: Element, line: CaseLine, report: Report) -> None:
    group = ".".join(["golden", *([line.kind] if line.kind else [])])
    case = SubElement(suite, "testcase", {"classname": _text(group), "name": _text(line.case_id)})
    found = line.diagnosis
    follow = command(report.folder, line.case_id)
    because = [f"{found.leaf}: {found.cause}", f"advice: {found.advice}"] if found else []
    because += [f"broken: {', '.join(line.result.broken)}"] if line.result.broken else []
    because += [f"critical: {', '.join(line.result.critical)}"] if line.result.critical else []
    if line.state == "failed" and line.failure is not None:
        what = f"{line.failure.stage}: {line.failure.error}: {line.failure.message}"
        note = SubElement(case, "error", {"type": _text(line.failure.error), "message": _text(what)})
        note.text = _text("\n".join([*because, follow]))
    elif line.state == "not_ok":
        message = found.cause if found else "not ok"
        note = SubElement(case, "failure", {"type": found.leaf if found else "not ok", "message": _text(message)})
        note.text = _text("\n".join([*because, follow]))
    elif line.state == "no_expectation":
        SubElement(case, "skipped", {"message": "the case declares nothing that could fail"})
    _failed_scores(case, line, report)


def _failed_scores(case: Element, line: CaseLine, report: Report) -> None:
    """Name the measurements that failed in a case that was answered."""
    mine = report.scores_by_case.get(line.case_id, ())
    failed = [(score.metric, score.outcome) for score in mine if isinstance(score.outcome, Failed)]
    if failed and line.state != "failed":
        told = [f"{metric} failed: {one.stage}: {one.error}: {one.message}" for metric, one in failed]
        SubElement(case, "system-out").text = _text("\n".join(told))


def _rule(suite: Element, line: RuleLine) -> None:
    rule = line.rule
    about = scope(rule.level, rule.slice)
    name = f"{rule.metric} {line.demand}" + (f" ({about})" if about else "")
    case = SubElement(suite, "testcase", {"classname": "gate", "name": _text(name)})
    counted = f"n={rule.scored} undefined={line.undefined} failed={line.failed}"
    told = _text(f"value {number(rule.value, unit=line.unit)}, {counted}: {rule.reason}")
    if rule.verdict == "fail":
        SubElement(case, "failure", {"type": "gate", "message": told})
    elif rule.verdict == "undecidable":
        SubElement(case, "error", {"type": "undecidable", "message": told})
