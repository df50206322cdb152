"""One case from question to diagnosis: what was asked and expected, and what each stage made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ragtriage.core.records import Case, ContextItem, Predicate, Principal, Timing, Trace
from ragtriage.core.results import CASES, CaseScore, MetricRow
from ragtriage.core.score import Outcome
from ragtriage.core.verdicts import Label, Verdicts
from ragtriage.data.eligibility import describe
from ragtriage.data.relevance import Passage
from ragtriage.report.model import Report
from ragtriage.report.sections.answer import AnswerText, answer_text, reference_text
from ragtriage.report.sections.case_list import CaseLine
from ragtriage.report.sections.citations import CitationLine, citation_lines
from ragtriage.report.sections.expectations import Expectation, expectations
from ragtriage.report.sections.marking import Mark, Marking
from ragtriage.report.sections.rankings import RankingTable, ranking_table, ranks_of
from ragtriage.report.sections.sources import Excerpt, Sources
from ragtriage.report.sections.stages import key_rows

__all__ = [
    "CaseDetail",
    "ContextLine",
    "EvidenceLine",
    "PredicateLine",
    "ScoreLine",
    "UsedSpan",
    "case_detail",
    "case_rows",
]


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """One piece of gold evidence; `ranks`: ranking -> rank at which it is found (None: not there).

    `eligible` False: the principal may not see it or it is not in force at the case's date, so it need not be found.
    """

    doc_id: str
    title: str
    group: str | None
    grade: int
    excerpt: Excerpt | None
    quote: str | None
    ranks: tuple[tuple[str, int | None], ...]
    in_context: bool | None
    eligible: bool


@dataclass(frozen=True, slots=True)
class PredicateLine:
    """One predicate that was applied; `expected`: the golden set has it too (None: it labels none).

    `removes`: eligible gold documents that it would remove.
    """

    text: str
    mode: str
    origin: str | None
    expected: bool | None
    removes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UsedSpan:
    """[start, end) of a context item in which the verdict on a claim (by its number) is shown."""

    start: int
    end: int
    label: Label
    claim: int


@dataclass(frozen=True, slots=True)
class ContextLine:
    """One passage that the generator was given.

    `used`: spans that claims of the answer rest on; `wanted`: spans that hold claims of the reference answer.
    """

    place: int
    item: ContextItem
    mark: Mark
    excerpt: Excerpt | None
    cited: bool
    used: tuple[UsedSpan, ...]
    wanted: tuple[UsedSpan, ...]


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One key metric of the case."""

    metric: str
    level: str | None
    proxy: bool
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class CaseDetail:
    """All that is known of one case; empty where the run did not record it, None where that means something else."""

    line: CaseLine
    case: Case | None
    trace: Trace | None
    principal: str
    expectations: tuple[Expectation, ...]
    reference: AnswerText | None
    evidence: tuple[EvidenceLine, ...]
    predicates: tuple[PredicateLine, ...] | None
    missing_predicates: tuple[str, ...]
    rankings: RankingTable
    context: tuple[ContextLine, ...] | None
    answer: AnswerText | None
    citations: tuple[CitationLine, ...] | None
    judge: Verdicts | None
    timings: tuple[Timing, ...]
    total_ms: float
    scores: tuple[ScoreLine, ...]


def case_detail(
    report: Report,
    line: CaseLine,
    *,
    sources: Sources,
    scores: Mapping[tuple[str, str, str | None], CaseScore],
    rows: Sequence[MetricRow],
    depth: int,
) -> CaseDetail:
    """Draw up one case.

    `scores` by case, metric and level; `rows`: the metrics to show; `depth` results of each ranking are kept, gold ones
    beyond it too.
    """
    case, trace = report.cases.get(line.case_id), report.traces.get(line.case_id)
    judge = report.verdicts.get(line.case_id)
    marking = Marking.of(case, report.documents, settings=report.settings)
    answer = answer_text(trace.answer, judge, case) if trace and trace.answer else None
    timings = (trace.timings if trace else None) or ()
    return CaseDetail(
        line=line,
        case=case,
        trace=trace,
        principal=_principal(case.principal if case else trace.principal if trace else None),
        expectations=expectations(case, trace, judge) if case else (),
        reference=reference_text(case.expected.answer, judge) if case and case.expected.answer else None,
        evidence=_evidence(report, case, trace, marking, sources),
        predicates=_predicates(case, trace, marking),
        missing_predicates=_missing(case, trace),
        rankings=ranking_table(trace.rankings if trace else None, marking, depth=depth),
        context=_context(report, trace, judge, marking, sources),
        answer=answer,
        citations=citation_lines(trace, judge, marking, report.documents),
        judge=judge,
        timings=timings,
        total_ms=max((timing.start_ms + timing.duration_ms for timing in timings), default=0.0),
        scores=_scores(line.case_id, scores, rows),
    )


def _principal(principal: Principal | None) -> str:
    if principal is None:
        return "not recorded"
    who = "public visitor" if principal.tenant is None else f"tenant {principal.tenant}"
    return f"{who}, roles {', '.join(principal.roles)}" if principal.roles else who


def _evidence(
    report: Report, case: Case | None, trace: Trace | None, marking: Marking, sources: Sources
) -> tuple[EvidenceLine, ...]:
    if case is None:
        return ()
    context = trace.context if trace else None
    found = []
    for evidence in case.evidence:
        document = report.documents.get(evidence.doc_id)
        alone = marking.alone(evidence)
        passages = [Passage(i.id, i.doc_id, i.start, i.end) for i in context or ()]
        found.append(
            EvidenceLine(
                doc_id=evidence.doc_id,
                title=document.title if document else "",
                group=evidence.group,
                grade=evidence.grade,
                excerpt=sources.excerpt(evidence.doc_id, evidence.start, evidence.end),
                quote=evidence.quote,
                ranks=ranks_of(trace.rankings if trace else None, alone),
                in_context=None if context is None else alone.completed_at(passages) is not None,
                eligible=alone.eligible,
            )
        )
    return tuple(found)


def _mark(marking: Marking, item: ContextItem) -> Mark:
    return marking.mark(item.id, item.doc_id, item.start, item.end)


def _predicates(case: Case | None, trace: Trace | None, marking: Marking) -> tuple[PredicateLine, ...] | None:
    if trace is None or trace.predicates is None:
        return None
    gold = case.predicates if case else None
    wanted = None if gold is None else {_key(predicate) for predicate in gold}
    return tuple(
        PredicateLine(
            text=describe(predicate),
            mode=predicate.mode,
            origin=predicate.origin,
            expected=None if wanted is None else _key(predicate) in wanted,
            removes=marking.removes(predicate),
        )
        for predicate in trace.predicates
    )


def _missing(case: Case | None, trace: Trace | None) -> tuple[str, ...]:
    if case is None or case.predicates is None or trace is None or trace.predicates is None:
        return ()
    applied = {_key(predicate) for predicate in trace.predicates}
    return tuple(describe(predicate) for predicate in case.predicates if _key(predicate) not in applied)


def _key(predicate: Predicate) -> str:
    return describe(predicate)


def _context(
    report: Report, trace: Trace | None, judge: Verdicts | None, marking: Marking, sources: Sources
) -> tuple[ContextLine, ...] | None:
    if trace is None or trace.context is None:
        return None
    citations = (trace.answer.citations if trace.answer else None) or ()
    cited = {identity for citation in citations for identity in citation.ids}
    return tuple(
        ContextLine(
            place=place,
            item=item,
            mark=_mark(marking, item),
            excerpt=sources.of_item(item, report.documents),
            cited=item.id in cited,
            used=_spans(item, judge, "answer"),
            wanted=_spans(item, judge, "reference"),
        )
        for place, item in enumerate(trace.context, start=1)
    )


def _spans(item: ContextItem, judge: Verdicts | None, of: Literal["answer", "reference"]) -> tuple[UsedSpan, ...]:
    claims = [claim for claim in (judge.claims if judge else None) or () if claim.of == of]
    spans = [
        UsedSpan(span.start, min(span.end, len(item.text)), claim.context, number)
        for number, claim in enumerate(claims, start=1)
        for span in claim.spans
        if span.id == item.id and claim.context is not None and span.start < min(span.end, len(item.text))
    ]
    return tuple(sorted(spans, key=lambda span: (span.start, span.end)))


def case_rows(report: Report) -> tuple[MetricRow, ...]:
    """Return the metrics that are shown for each case: the key numbers of the stages and those that the gate names."""
    gate = report.results.gate
    asked = [report.results.row(r.metric, level=r.level) for r in (gate.rules if gate is not None else ())]
    rows = {(row.name, row.level): row for row in (*key_rows(report), *filter(None, asked)) if row.population == CASES}
    return tuple(rows.values())


def _scores(
    case_id: str, scores: Mapping[tuple[str, str, str | None], CaseScore], rows: Sequence[MetricRow]
) -> tuple[ScoreLine, ...]:
    found = [(row, scores.get((case_id, row.name, row.level))) for row in rows]
    return tuple(ScoreLine(row.name, row.level, row.proxy, score.outcome) for row, score in found if score is not None)
