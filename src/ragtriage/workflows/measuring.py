"""From the records of a run to what they say: views, scores, rows, facts, causes. Asks nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragtriage.core.records import Chunk, Trace
from ragtriage.core.results import CaseResult, CaseScore, Counts, LeafShare, MetricRow
from ragtriage.core.score import Failed
from ragtriage.core.verdicts import Verdicts
from ragtriage.data.corpus import Corpus
from ragtriage.data.golden import Golden
from ragtriage.data.validation import faults_by_case
from ragtriage.decisions.diagnosis import diagnose, waterfall
from ragtriage.decisions.expectations import judge_case
from ragtriage.runs.facts import case_facts
from ragtriage.runs.scoring import metric_rows, score_cases
from ragtriage.runs.viewing import RunViews, build_views
from ragtriage.workflows.inputs import Inputs

__all__ = ["Measured", "Records", "case_results", "measure"]

JUDGE = "judge"


@dataclass(frozen=True)
class Records:
    """What was stored of one repeat of every question."""

    corpus: Corpus | None
    golden: Golden
    chunks: tuple[Chunk, ...] | None
    traces: Mapping[str, Trace]
    verdicts: Mapping[str, Verdicts]
    failures: Mapping[str, Failed]
    repeats: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """What the records say."""

    counts: Counts
    rows: tuple[MetricRow, ...]
    cases: tuple[CaseResult, ...]
    scores: tuple[CaseScore, ...]
    diagnosis: tuple[LeafShare, ...]
    notes: tuple[str, ...]


def measure(records: Records, inputs: Inputs) -> Measured:
    """Measure; equal records and settings give equal results."""
    settings = inputs.configuration
    views = build_views(
        corpus=records.corpus,
        golden=records.golden,
        traces=records.traces,
        verdicts=records.verdicts,
        failures=records.failures,
        chunks=records.chunks,
        settings=settings,
        repeats=records.repeats,
    )
    scores = score_cases(views, inputs.selection)
    rows = tuple(metric_rows(views, inputs.selection, scores, settings))
    cases = case_results(views, inputs, records)
    return Measured(
        counts=_counts(records, cases),
        rows=rows,
        cases=cases,
        scores=tuple(scores),
        diagnosis=waterfall(cases, records.golden.cases, by=settings.slices.by),
        notes=_notes(views),
    )


def case_results(views: RunViews, inputs: Inputs, records: Records) -> tuple[CaseResult, ...]:
    """Say of each case whether it is ok and, where it is not, which stage broke it."""
    faults = faults_by_case(records.golden, records.corpus) if records.corpus is not None else {}
    found = []
    for facts in case_facts(views, inputs.configuration, golden_faults=faults):
        judgement = judge_case(facts, least_correctness=inputs.configuration.expect.answer)
        found.append(
            CaseResult(
                case_id=facts.case_id,
                ok=judgement.ok,
                broken=tuple(broken.text for broken in judgement.broken),
                critical=judgement.critical,
                diagnosis=diagnose(facts, judgement),
            )
        )
    return tuple(found)


def _counts(records: Records, cases: tuple[CaseResult, ...]) -> Counts:
    return Counts(
        cases=len(cases),
        traced=len(records.traces),
        failed=sum(failed.stage != JUDGE for failed in records.failures.values()),
        ok=sum(case.ok is True for case in cases),
        not_ok=sum(case.ok is False for case in cases),
        no_expectation=sum(case.ok is None for case in cases),
    )


def _notes(views: RunViews) -> tuple[str, ...]:
    removed = views.repeats_removed
    return (f"{removed} repeated results in rankings were left out; the first occurrence counts",) if removed else ()
