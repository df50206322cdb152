"""From the records of a run to what they say: views, scores, rows, facts, causes. Asks nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragtriage.core.chunk_views import SentencesView
from ragtriage.core.records import Chunk, Trace
from ragtriage.core.results import CaseResult, CaseScore, Counts, LeafShare, MetricRow, UnitResult
from ragtriage.core.score import Failed, Undefined
from ragtriage.core.verdicts import Verdicts
from ragtriage.data.corpus import Corpus
from ragtriage.data.golden import Golden
from ragtriage.data.validation import faults_by_case
from ragtriage.decisions.diagnosis import diagnose, waterfall
from ragtriage.decisions.expectations import judge_case
from ragtriage.runs.facts import case_facts
from ragtriage.runs.scoring import metric_rows, score_cases, score_units
from ragtriage.runs.selection import by_metric, left_out_of
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
    sentences: Mapping[str, SentencesView | Undefined | Failed] | Undefined | None = None


@dataclass(frozen=True)
class Measured:
    """What the records say."""

    counts: Counts
    rows: tuple[MetricRow, ...]
    cases: tuple[CaseResult, ...]
    scores: tuple[CaseScore, ...]
    units: tuple[UnitResult, ...]
    left_out: Mapping[str, str]
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
        given=replace(inputs.given, sentences=records.sentences),
        ontology=inputs.ontology,
    )
    scores = score_cases(views, inputs.selection)
    units = score_units(views, inputs.selection)
    every = metric_rows(views, inputs.selection, scores, settings, units)
    left_out = left_out_of(every, inputs.selection, settings)
    rows = tuple(row for row in every if row.name not in left_out)
    scores = [score for score in scores if score.metric not in left_out]
    cases = case_results(views, inputs, records)
    return Measured(
        counts=_counts(records, cases),
        rows=rows,
        cases=cases,
        scores=tuple(scores),
        units=_without(units, left_out),
        left_out=by_metric(left_out, inputs.selection),
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


def _without(units: Sequence[UnitResult], left_out: Mapping[str, str]) -> tuple[UnitResult, ...]:
    """Take out the scores of metrics that are left out, and units that have no others."""
    kept = (
        unit.model_copy(update={"scores": {name: s for name, s in unit.scores.items() if name not in left_out}})
        for unit in units
    )
    return tuple(unit for unit in kept if unit.scores)


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
    told = (f"{removed} repeated results in rankings were left out; the first occurrence counts",) if removed else ()
    return (*told, *views.populations.notes)
