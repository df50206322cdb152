"""Which answers a run will have judged: recorded, stored by an attempt before, else supposed from the golden case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from ragtriage.core.clock import SystemClock
from ragtriage.core.records import Answer, Case, ContextItem, Trace
from ragtriage.data.corpus import Corpus
from ragtriage.runs.execute import Item, pending
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.store import RunStore
from ragtriage.runs.systems.opening import open_system
from ragtriage.workflows.estimating import ToJudge
from ragtriage.workflows.inputs import Inputs
from ragtriage.workflows.remaining import Remaining

__all__ = ["supposed_trace", "to_judge"]

Key: TypeAlias = tuple[str, int]
_PIECE, _ANSWER = 1_000, 300


def to_judge(inputs: Inputs, store: RunStore | None, left: Remaining | None) -> ToJudge:
    """Collect the answers; `store`: the run in the folder; `left`: what is left of it, None where it is replaced.

    Reads trace files, loads no system and asks nothing.
    """
    stored = {} if store is None else _stored(store, inputs)
    calls = {} if store is None else store.judge_calls()
    if left is None:
        items, assumed = _answers(inputs, inputs.golden.cases, frozenset(), stored)
        return ToJudge(items, seen=calls, assumed=assumed)
    by_id = {case.case_id: case for case in inputs.golden.cases}
    done = [Item(by_id[key[0]], key[1], stored[key]) for key in sorted(left.finished) if key in stored]
    items, assumed = _answers(inputs, inputs.golden.cases, left.finished | set(left.again), {})
    return ToJudge([*left.again.values(), *items], done, known=calls, assumed=assumed)


def _answers(
    inputs: Inputs, cases: Sequence[Case], finished: frozenset[Key], earlier: Mapping[Key, Trace]
) -> tuple[list[Item], tuple[str, ...]]:
    """Return an answer for each question that is still to be asked, and what was supposed of them."""
    recorded, size = _recorded(inputs), inputs.configuration.system.context_size
    items: list[Item] = []
    replaced: list[Case] = []
    unknown: list[Case] = []
    for item in pending(cases, repeat=inputs.configuration.run.repeat, finished=finished):
        key = (item.case.case_id, item.repeat)
        trace = recorded.get(key)
        if trace is None and inputs.configuration.system.traces is None:
            trace = earlier.get(key)
            (unknown if trace is None else replaced).append(item.case)
            trace = trace or supposed_trace(item.case, inputs.corpus, size=size)
        items.append(replace(item, recorded=trace))
    return items, tuple(_assumed(replaced, unknown, size))


def _assumed(replaced: Sequence[Case], unknown: Sequence[Case], size: int) -> Iterator[str]:
    if replaced:
        yield f"{len(replaced)} answers are supposed to be those of the run in the folder"
    if unknown:
        given = sum(case.expected.answer is not None for case in unknown)
        yield (
            f"{len(unknown)} answers are not known yet: {given} are supposed to be the reference answer, "
            f"{len(unknown) - given} up to {_ANSWER} characters of the evidence, each from {size} pieces of up to "
            f"{_PIECE:,} characters, and none to be a refusal"
        )


def _stored(store: RunStore, inputs: Inputs) -> Mapping[Key, Trace]:
    numbers = range(inputs.configuration.run.repeat)
    return {(name, number): trace for number in numbers for name, trace in store.traces(repeat=number)}


def _recorded(inputs: Inputs) -> Mapping[Key, Trace]:
    configuration = inputs.configuration
    if configuration.system.traces is None:
        return {}
    opened = open_system(
        configuration,
        base=inputs.settings.base,
        cases=inputs.golden.cases,
        clock=SystemClock(),
        secrets=Secrets(),
        concurrency=1,
        documents=inputs.documents,
    )
    if opened.recorded is None:
        return {}
    found = opened.recorded.of(inputs.golden.cases, repeat=configuration.run.repeat)
    return {(case.case_id, number): trace for case, number, trace in found}


def supposed_trace(case: Case, corpus: Corpus | None, *, size: int) -> Trace:
    """Return an answer as it may come: from pieces of the evidence's documents, then of others.

    >>> supposed_trace(Case(case_id="c", question="?"), None, size=4).context
    ()
    """
    pieces = tuple(_pieces(case, corpus, size))
    text = case.expected.answer or next((one.quote for one in case.evidence if one.quote), None)
    text = text or (pieces[0].text[:_ANSWER] if pieces else case.question)
    return Trace(
        trace_id=case.case_id, case_id=case.case_id, question=case.question, context=pieces, answer=Answer(text=text)
    )


def _pieces(case: Case, corpus: Corpus | None, size: int) -> Iterator[ContextItem]:
    documents = {} if corpus is None else corpus.documents
    wanted = {one.doc_id: one.start or 0 for one in case.evidence if one.doc_id in documents}
    for name in documents:
        if len(wanted) >= size:
            break
        wanted.setdefault(name, 0)
    for name, start in list(wanted.items())[:size]:
        at = max(0, start - _PIECE // 2)
        text = documents[name].text[at : at + _PIECE]
        if text.strip():
            yield ContextItem(id=name, doc_id=name, start=at, end=at + len(text), text=text)
