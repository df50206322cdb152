"""From a stored run to its folder: read the records, measure them, write what is drawn from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

from ragtriage.core.records import Chunk, Document, Trace
from ragtriage.core.results import Results, listed_units
from ragtriage.core.score import Failed
from ragtriage.data.validation import faults_by_case
from ragtriage.decisions.baseline import Baseline, not_comparable
from ragtriage.decisions.doubts import doubts, served_models
from ragtriage.decisions.gate import decide
from ragtriage.report.model import Report
from ragtriage.runs.store import RunStore
from ragtriage.workflows.compare import compared_with
from ragtriage.workflows.compared import kept
from ragtriage.workflows.folder import write_folder
from ragtriage.workflows.inputs import Inputs
from ragtriage.workflows.measuring import Measured, Records, measure
from ragtriage.workflows.run import Run, shown_path
from ragtriage.workflows.sentence_vectors import stored_sentences

__all__ = ["finish", "named_documents_of"]

Status = Literal["complete", "incomplete", "interrupted"]
_SHOWN = 5


def finish(store: RunStore, inputs: Inputs, *, baseline: Run | None, gate: bool) -> Run:
    """Measure what a store holds, write the folder's files and return the run."""
    repeats = inputs.configuration.run.repeat
    records = _records(store, inputs, repeat=0)
    measured = measure(records, inputs)
    told = _told(records.traces)
    changed = _changed(store, inputs, measured, repeats=repeats)
    notes = (*store.plan.notes, *_at_fault(inputs), *told, *measured.notes, *_judged(records), *changed)
    results = Results(
        schema="ragtriage.results/1",
        run_id=store.plan.run_id,
        status=_status(store, inputs, repeats=repeats),
        bundle=dict(store.plan.bundle),
        counts=measured.counts,
        metrics=measured.rows,
        cases=measured.cases,
        units=listed_units(measured.units),
        diagnosis=measured.diagnosis,
        left_out={**inputs.selection.left_out, **measured.left_out},
        notes=notes,
    )
    if gate:
        decided = decide(
            results,
            measured.scores,
            inputs.golden.cases,
            inputs.configuration,
            units=measured.units,
            baseline=_base(baseline),
            doubts=doubts(records.verdicts.values(), results, inputs.configuration),
        )
        results = results.model_copy(update={"gate": decided})
    report = Report(
        results=results,
        scores=measured.scores,
        units=measured.units,
        cases={case.case_id: case for case in inputs.golden.cases},
        traces=records.traces,
        verdicts=records.verdicts,
        documents=_named_documents(inputs, records.chunks, records.traces),
        settings=inputs.configuration,
        folder=str(store.path.parent),
        config=shown_path(store.plan.file),
    )
    report = _beside(baseline, report)
    write_folder(report, store.plan, store.path.parent)
    return Run(report, folder=store.path.parent)


def _beside(baseline: Run | None, report: Report) -> Report:
    """Set a report beside the base run, or say in it why that would mean nothing."""
    if baseline is None:
        return report
    if (reason := not_comparable(baseline.results, report.results)) is not None:
        notes = (*report.results.notes, f"not compared with the base run: {reason}")
        return replace(report, results=report.results.model_copy(update={"notes": notes}))
    compared = compared_with(baseline, report)
    return replace(report, compared=None if compared is None else kept(compared))


def _base(baseline: Run | None) -> Baseline | None:
    return None if baseline is None else Baseline(baseline.results, baseline.report().scores, baseline.report().units)


def named_documents_of(store: RunStore, inputs: Inputs) -> tuple[Document, ...]:
    """Return the documents of the corpus that evidence or a trace names, in the order of their ids."""
    return tuple(_named_documents(inputs, store.chunks(), dict(store.traces())).values())


def _named_documents(
    inputs: Inputs, chunks: tuple[Chunk, ...] | None, traces: Mapping[str, Trace]
) -> dict[str, Document]:
    if inputs.corpus is None:
        return {}
    of_chunk = {chunk.chunk_id: chunk.doc_id for chunk in chunks or inputs.corpus.chunks or ()}
    named = {evidence.doc_id for case in inputs.golden.cases for evidence in case.evidence}
    for trace in traces.values():
        named.update(_named_by(trace, of_chunk))
    held = inputs.corpus.documents
    # What supersedes a document decides from when on it is stale.
    named.update(later.doc_id for name in tuple(named) for later in inputs.corpus.successors.get(name, ()))
    return {name: held[name] for name in sorted(named) if name in held}


def _named_by(trace: Trace, of_chunk: Mapping[str, str]) -> Iterator[str]:
    for ranking in trace.rankings or ():
        yield from (hit.doc_id or of_chunk.get(hit.id, hit.id) for hit in ranking.hits)
    yield from (item.doc_id or of_chunk.get(item.id, item.id) for item in trace.context or ())


def _told(traces: Mapping[str, Trace]) -> tuple[str, ...]:
    """Return what the system itself wants said of the run: the texts under `notes` of a trace's metadata, each once."""
    lists = (trace.metadata.get("notes") for trace in traces.values())
    notes = (str(note) for found in lists if isinstance(found, list) for note in found)
    return tuple(dict.fromkeys(notes))[:_SHOWN]


def _at_fault(inputs: Inputs) -> Iterator[str]:
    """Say how many cases contradict the corpus: one that came out ok says nothing of it anywhere else."""
    if inputs.corpus is None or not (faults := faults_by_case(inputs.golden, inputs.corpus)):
        return
    first, said = next(iter(faults.items()))
    golden = inputs.configuration.golden
    more = "" if golden.source is not None else f"; `ragtriage golden validate {golden.path}` lists all"
    yield (
        f"{len(faults)} of {len(inputs.golden.cases)} golden cases are at fault themselves and prove nothing of the "
        f"system ({first}: {said[0]}){more}"
    )


def _judged(records: Records) -> Iterator[str]:
    """Say what a reader must know of the judge: which models answered where they were several, and what failed."""
    served = served_models(records.verdicts.values())
    if len(served) > 1:
        yield f"several models judged: {', '.join(served)}"
    kinds = Counter(failure.kind for verdict in records.verdicts.values() for failure in verdict.failed)
    if kinds:
        told = ", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items()))
        yield f"{sum(kinds.values())} questions to the judge brought no verdict and count as failed: {told}"
    disputed = sum(bool(verdict.disputed) for verdict in records.verdicts.values())
    if disputed:
        yield f"two judges disagree on claims of {disputed} cases of high risk: people should read them"


def _records(store: RunStore, inputs: Inputs, *, repeat: int) -> Records:
    traces, failures = dict(store.traces(repeat=repeat)), store.failures(repeat=repeat)
    for case in inputs.golden.cases:
        if case.case_id not in traces:
            failures[case.case_id] = Failed("run", "NotAsked", "the run stopped before this question was asked")
    return Records(
        corpus=inputs.corpus,
        golden=inputs.golden,
        chunks=store.chunks(),
        traces=traces,
        verdicts=dict(store.verdicts(repeat=repeat)),
        failures=failures,
        repeats=_later_answers(store, inputs) if repeat == 0 else {},
        sentences=stored_sentences(store, inputs.selection),
    )


def _later_answers(store: RunStore, inputs: Inputs) -> dict[str, list[str]]:
    """Return the answers of every repeat but the first, by case."""
    found: dict[str, list[str]] = {}
    for number in range(1, inputs.configuration.run.repeat):
        for case_id, trace in store.traces(repeat=number):
            if trace.answer is not None and trace.error is None:
                found.setdefault(case_id, []).append(trace.answer.text)
    return found


def _status(store: RunStore, inputs: Inputs, *, repeats: int) -> Status:
    if len(store.asked()) >= len(inputs.golden.cases) * repeats:
        return "complete"
    return "interrupted" if store.status == "interrupted" else "incomplete"


def _changed(store: RunStore, inputs: Inputs, first: Measured, *, repeats: int) -> Iterator[str]:
    """Say which cases were ok in one repeat and not in another: numbers come from the first repeat alone."""
    if repeats == 1:
        return
    verdicts = {case.case_id: {case.ok} for case in first.cases}
    for number in range(1, repeats):
        for case in measure(_records(store, inputs, repeat=number), inputs).cases:
            verdicts[case.case_id].add(case.ok)
    unsteady = sorted(name for name, seen in verdicts.items() if len(seen) > 1)
    shown = ", ".join(unsteady[:_SHOWN]) + (", ..." if len(unsteady) > _SHOWN else "")
    yield (
        f"asked {repeats} times; {len(unsteady)} of {len(verdicts)} cases were ok in some repeats and not in others"
        f"{f' ({shown})' if unsteady else ''}; all numbers are those of the first"
    )
