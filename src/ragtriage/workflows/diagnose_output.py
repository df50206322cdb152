"""How a diagnosis looks as text: the waterfall of a run, and one case from its question to its cause."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragtriage.core.score import Failed, Outcome, Undefined, Value
from ragtriage.report.escaping import one_line, visible
from ragtriage.report.model import Report
from ragtriage.report.sections.case_detail import CaseDetail, ContextLine, EvidenceLine
from ragtriage.report.sections.marking import Mark
from ragtriage.report.sections.rankings import RankingColumn
from ragtriage.report.sections.waterfall import LeafBar
from ragtriage.report.wording import PROXY, command, count, number, percent

__all__ = ["Cause", "drawn_case", "drawn_waterfall"]

_WIDTH = 100
_BAR = 24
_MOST_CASES = 5
_MOST_CAUSES = 3
_MOST_RESULTS = 10
_MARKS: dict[Mark, str] = {"gold": "* ", "near": "~ ", "forbidden": "! ", "stale": "- ", "": "  "}


@dataclass(frozen=True, slots=True)
class Cause:
    """One leaf with what cases broke there: `repaired` is the share of cases that would be ok if none broke there.

    That share is the most a repair can win: a case may break again further down.
    """

    bar: LeafBar
    causes: tuple[tuple[str, int], ...]
    advice: str
    repaired: float


def drawn_waterfall(report: Report, causes: Sequence[Cause], *, every: bool = False) -> str:
    """Return where cases broke, with the commonest causes, what a repair would win and how to look at a case.

    `every`: all causes and all cases of each leaf are named.
    """
    results = report.results
    counts = results.counts
    head = f"{count(counts.cases, 'case')}: {counts.ok} ok, {counts.not_ok} not ok, {counts.failed} failed"
    lines = [f"{head}, {counts.no_expectation} without expectation"]
    if not causes:
        return f"{lines[0]}\nno case is known to be wrong\n"
    for cause in causes:
        lines += ["", *_cause(cause, counts.not_ok, every=every)]
    first = causes[0].bar.case_ids
    if first:
        lines += ["", f"one case in full: {command(report.folder, first[0])}"]
    return "\n".join(lines) + "\n"


def _cause(cause: Cause, not_ok: int, *, every: bool) -> Iterator[str]:
    bar = cause.bar
    before = round(_BAR * bar.before / not_ok) if not_ok else 0
    length = max(1, round(_BAR * bar.cases / not_ok)) if not_ok else 1
    drawn = f"{' ' * before}{'█' * length}".ljust(_BAR)[:_BAR]
    yield f"{bar.leaf:<11}{drawn} {bar.cases:>4}  {percent(bar.share):>6}  {bar.meaning}"
    for text, cases in cause.causes[: None if every else _MOST_CAUSES]:
        yield f"    {cases:>4} × {one_line(text, width=_WIDTH)}"
    most = len(bar.case_ids) if every else _MOST_CASES
    names = ", ".join(bar.case_ids[:most])
    more = f" and {len(bar.case_ids) - most} more" if len(bar.case_ids) > most else ""
    yield f"    cases: {one_line(names)}{more}"
    yield f"    without these failures at most {percent(cause.repaired)} of the cases would be ok"
    yield from _wrapped(f"advice: {cause.advice}", "    ")


def drawn_case(detail: CaseDetail) -> str:
    """Return one case from its question to its cause."""
    parts = [
        _question(detail),
        _evidence(detail.evidence),
        _predicates(detail),
        _rankings(detail.rankings.columns, recorded=detail.rankings.recorded),
        _context(detail.context),
        _answer(detail),
        _scores(detail),
        _verdict(detail),
    ]
    return "\n\n".join("\n".join(part) for part in (list(lines) for lines in parts) if part) + "\n"


def _question(detail: CaseDetail) -> Iterator[str]:
    facts = [detail.line.kind, detail.line.language, f"asked by {detail.principal}"]
    if detail.case is not None and detail.case.as_of is not None:
        facts.append(f"for {detail.case.as_of.isoformat()}")
    yield f"{one_line(detail.line.case_id)}: {', '.join(one_line(fact) for fact in facts if fact)}"
    yield from _wrapped(f"question: {detail.line.question or 'not known'}", "  ")
    rewrites = detail.trace.rewrites if detail.trace is not None else None
    for text in rewrites or ():
        yield from _wrapped(f"rewritten: {text}", "  ")
    if detail.reference is not None:
        yield from _wrapped(f"reference: {detail.reference.text}", "  ")
    for wanted in detail.expectations:
        met = f" [{wanted.met}]" if wanted.met else ""
        yield from _wrapped(f"{wanted.what}: {wanted.text}{met}", "  ")


def _evidence(evidence: Iterable[EvidenceLine]) -> Iterator[str]:
    lines = list(evidence)
    if lines:
        yield "evidence and where it stood"
    for line in lines:
        group = "" if line.group is None else f", group {line.group}"
        inside = {True: "in the context", False: "not in the context", None: "no context recorded"}[line.in_context]
        stood = [f"{stage} {'nowhere' if rank is None else f'rank {rank}'}" for stage, rank in line.ranks]
        yield f"  {one_line(line.doc_id)} (grade {line.grade}{one_line(group)}): {', '.join([*stood, inside])}"
        if line.quote:
            yield from _wrapped(f"“{line.quote}”", "    ")


def _predicates(detail: CaseDetail) -> Iterator[str]:
    if detail.predicates is None:
        yield "predicates: not recorded"
        return
    yield "predicates" if detail.predicates or detail.missing_predicates else "predicates: none"
    for line in detail.predicates:
        told = {True: "as the golden set has it", False: "not in the golden set", None: ""}[line.expected]
        removes = f"removes gold {', '.join(line.removes)}" if line.removes else ""
        facts = ", ".join(filter(None, [line.mode, line.origin, told, removes]))
        yield f"  {one_line(line.text)} ({one_line(facts)})"
    for text in detail.missing_predicates:
        yield f"  missing: {one_line(text)}"


def _rankings(columns: Iterable[RankingColumn], *, recorded: bool) -> Iterator[str]:
    if not recorded:
        yield "rankings: not recorded"
        return
    yield "rankings (* gold evidence, ~ gold document, ! forbidden, - not in force)"
    for column in columns:
        yield f"  {one_line(column.stage)}: {count(column.length, 'result')}"
        for cell in (*column.cells[:_MOST_RESULTS], *column.deeper):
            moved = "" if not cell.moved else f" ({'+' if cell.moved > 0 else '−'}{abs(cell.moved)})"
            mark = _MARKS[cell.mark]
            yield f"    {cell.rank:>3} {mark}{one_line(cell.hit.id)}{' (new)' if cell.new else moved}"


def _context(context: Iterable[ContextLine] | None) -> Iterator[str]:
    if context is None:
        yield "context: not recorded"
        return
    lines = list(context)
    yield f"context: {count(len(lines), 'passage')}"
    for line in lines:
        facts = [name for name, holds in (("cited", line.cited), ("used", bool(line.used))) if holds]
        mark = _MARKS[line.mark]
        told = f" ({', '.join(facts)})" if facts else ""
        yield f"  {line.place:>3} {mark}{one_line(line.item.id)}{told}"
        yield from _wrapped(one_line(line.item.text, width=3 * _WIDTH), "        ")


def _answer(detail: CaseDetail) -> Iterator[str]:
    if detail.answer is None:
        yield "answer: none"
        return
    answer = detail.trace.answer if detail.trace is not None else None
    acted = "" if answer is None or answer.acted is None else f" ({answer.acted})"
    yield f"answer{acted}"
    yield from _wrapped(detail.answer.text or "(empty)", "  ")
    if detail.judge is not None and detail.answer.claims:
        unsure = "" if detail.judge.calibrated else f", {PROXY}"
        yield f"claims, as {one_line(detail.judge.judge)} judges them{unsure}"
    for claim in detail.answer.claims:
        label = "not judged" if claim.label is None else detail.answer.words[claim.label]
        yield from _wrapped(f"[{label}] {claim.verdict.text}", "  ")


def _scores(detail: CaseDetail) -> Iterator[str]:
    if detail.scores:
        yield "scores"
    for line in detail.scores:
        level = f" ({line.level})" if line.level else ""
        proxy = f", {PROXY}" if line.proxy else ""
        yield f"  {line.metric}{level}: {one_line(_outcome(line.outcome))}{proxy}"


def _outcome(outcome: Outcome) -> str:
    match outcome:
        case Value(value=value, support=support):
            return f"{number(value)} (over {support})"
        case Undefined(reason=reason):
            return f"undefined: {reason}"
        case Failed(stage=stage, error=error):
            return f"failed: {stage}: {error}"


def _verdict(detail: CaseDetail) -> Iterator[str]:
    result = detail.line.result
    yield {True: "ok", False: "not ok", None: "nothing expected that could be measured"}[result.ok]
    for text in result.broken:
        yield from _wrapped(text, "  ")
    if result.diagnosis is not None:
        yield from _wrapped(f"cause ({result.diagnosis.leaf}): {result.diagnosis.cause}", "  ")
        yield from _wrapped(f"advice: {result.diagnosis.advice}", "  ")


def _wrapped(text: str, indent: str) -> list[str]:
    """Break text into lines at white space; what a terminal would obey is made visible first."""
    lines: list[str] = []
    for paragraph in visible(text).splitlines() or [""]:
        lines += textwrap.wrap(
            paragraph, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        ) or [indent.rstrip()]
    return lines
