"""Stored runs on one golden set set beside each other by a judge: which answers does it prefer, case by case."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage.core.configuration import RunSettings
from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.records import Case, Trace
from ragtriage.core.score import Failed, Undefined
from ragtriage.core.verdicts import JudgeCall
from ragtriage.core.views import PreferenceView
from ragtriage.decisions.baseline import not_comparable
from ragtriage.judges.families import answering_model, family_of
from ragtriage.judges.pairwise import Contest, prefer
from ragtriage.text.tokens import count_words
from ragtriage.workflows.inputs import chosen_cases
from ragtriage.workflows.judge_opening import JudgeNamed, named_judge
from ragtriage.workflows.judge_preferred import Duel, Judged, PreferredRuns, preferred
from ragtriage.workflows.run import Run

if TYPE_CHECKING:
    from ragtriage.models.budget import Budget

__all__ = ["prefer_runs"]

_LEAST_RUNS = 2


@dataclass(frozen=True, slots=True)
class _Entry:
    """One run with the name that it was given by."""

    name: str
    run: Run


@dataclass(frozen=True, slots=True)
class _Question:
    """One case and pair of runs before a judge: what is known already, or the contest that is to be judged."""

    case: Case
    base: str
    candidate: str
    families: tuple[str | None, str | None]
    known: PreferenceView | Undefined | Failed | None
    contest: Contest


def prefer_runs(
    runs: Sequence[Path],
    *,
    judges: Sequence[str] = ("model",),
    config: Path | None = None,
    environment: Mapping[str, str] | None = None,
    limit: int | None = None,
    where: str | None = None,
) -> PreferredRuns:
    """Ask each judge for each case and pair of runs which answer is better, in both orders.

    In each pair the run that is named first is the base. Raises BadInput with everything that is wrong with the runs,
    their golden sets and the judges; JudgeUnavailable, BudgetReached, StorageFailed.
    """
    entries, named = _read(runs, judges, config, environment)
    cases = _shared_cases(entries, limit=limit, where=where)
    questions = [
        _question(case, base, candidate) for base, candidate in itertools.combinations(entries, 2) for case in cases
    ]
    judged: list[Judged] = []
    budget: Budget | None = None  # one for all judges: the configuration's is that of the whole command
    for one in named:
        found, budget = asyncio.run(_ask(one, questions, budget))
        judged.append(found)
    settings = entries[0].run.report().settings
    every = {name for entry in entries for name in entry.run.report().cases}
    return preferred(
        {entry.name: entry.run.results.run_id for entry in entries},
        cases,
        judged,
        settings=RunSettings() if settings is None else settings.run,
        left_out=0 if limit or where else len(every) - len(cases),
    )


def _read(
    runs: Sequence[Path], judges: Sequence[str], config: Path | None, environment: Mapping[str, str] | None
) -> tuple[list[_Entry], list[JudgeNamed]]:
    """Read runs and judges; raises BadInput with all that is wrong with any."""
    faults: list[Fault] = []
    entries: list[_Entry] = []
    seen: dict[Path, Path] = {}
    for path in runs:
        if (other := seen.get(path.resolve())) is not None:
            faults.append(Fault(str(path), 0, f"is the same run as {other}"))
            continue
        seen[path.resolve()] = path
        try:
            entries.append(_Entry(str(path), Run.load(path)))
        except BadInput as error:
            faults.append(Fault(str(path), 0, str(error)))
    if len(runs) < _LEAST_RUNS:
        faults.append(Fault(str(runs[0]) if runs else "runs", 0, "name at least two runs"))
    faults += [
        Fault(entry.name, 0, f"cannot be set beside {entries[0].name}: {reason}")
        for entry in entries[1:]
        if (reason := not_comparable(entries[0].run.results, entry.run.results)) is not None
    ]
    named: list[JudgeNamed] = []
    for name in dict.fromkeys(judges):
        try:
            found = named_judge(name, config=config, environment=environment)
        except BadInput as error:
            faults.append(Fault(f"--judge {name}", 0, str(error)))
            continue
        if found is None:
            faults.append(Fault(f"--judge {name}", 0, "it holds claims against contexts and compares no answers"))
        else:
            named.append(found)
    if len(named) > 1 and any(one.settings.record is not None for one in named):
        faults.append(Fault(str(config), 0, "[judge] record keeps the replies of one judge: name one at a time"))
    if faults:
        raise BadInput(f"nothing was asked: {len(faults)} fault{'s' if len(faults) > 1 else ''}:", faults)
    return entries, named


def _shared_cases(entries: Sequence[_Entry], *, limit: int | None, where: str | None) -> tuple[Case, ...]:
    """Return the chosen cases that every run holds, in golden order."""
    first = entries[0].run.report()
    others = [entry.run.report().cases for entry in entries[1:]]
    shared = [first.cases[one.case_id] for one in first.results.cases if all(one.case_id in c for c in others)]
    if not shared:
        raise BadInput("the runs have no case in common: they asked different parts of the golden set")
    return chosen_cases(shared, limit=limit, where=where)


def _question(case: Case, base: _Entry, candidate: _Entry) -> _Question:
    traces = [entry.run.report().traces.get(case.case_id) for entry in (base, candidate)]
    texts = ["" if trace is None or trace.answer is None else trace.answer.text for trace in traces]
    models = [None if trace is None else answering_model(trace.models) for trace in traces]
    names = {name for trace in traces if trace is not None for name in (trace.models or {}).values()}
    return _Question(
        case=case,
        base=base.name,
        candidate=candidate.name,
        families=(family_of(models[0]), family_of(models[1])),
        known=_known((base.name, candidate.name), traces, texts),
        contest=Contest(case.question, texts[1], texts[0], case.expected.answer, tuple(sorted(names))),
    )


def _known(
    names: tuple[str, str], traces: Sequence[Trace | None], texts: Sequence[str]
) -> PreferenceView | Undefined | Failed | None:
    """Return what needs no judge: a run that broke, two silences, the same words twice."""
    for name, trace in zip(names, traces, strict=True):
        if trace is None or trace.answer is None or trace.error is not None:
            error = None if trace is None else trace.error
            why = "it has no answer" if error is None else f"{error.type} {error.message}".strip()
            return Failed("system", "NoAnswer", f"{name}: {why}")
    if not any(text.strip() for text in texts):
        return Undefined("both answers are empty")
    if texts[0].strip() == texts[1].strip():
        words = count_words(texts[0])
        return PreferenceView("tie", "tie", candidate_words=words, base_words=words)
    return None


async def _ask(named: JudgeNamed, questions: Sequence[_Question], budget: Budget | None) -> tuple[Judged, Budget]:
    from ragtriage.judges.calling import Asker, AskFailed  # noqa: PLC0415

    async def forget(call: JudgeCall) -> None:
        del call

    opened = named.open(budget=budget)
    asker = Asker(opened.model, named.seed, forget)
    places = asyncio.Semaphore(named.concurrency)

    async def one(question: _Question) -> Duel:
        outcome = question.known
        if outcome is None:
            async with places:
                try:
                    outcome = await prefer(asker, question.contest)
                except AskFailed as error:
                    outcome = Failed("judge", error.kind, error.message)
        case, families = question.case, question.families
        asked = question.known is None
        return Duel(case.case_id, question.base, question.candidate, outcome, asked=asked, families=families)

    try:
        duels = await _all_of([one(question) for question in questions])
    finally:
        await opened.close()
    served, ledger = sorted(asker.served), opened.ledger
    found = Judged(
        judge=opened.model.identity,
        model=named.settings.model or "",
        served=tuple(served),
        family=next(_families([*served, named.settings.model or ""]), None),
        calls=sum(ledger.calls.values()),
        cached=sum(ledger.cached.values()),
        cost_usd=ledger.cost_usd,
        duels=tuple(duels),
    )
    return found, opened.budget


def _families(names: Sequence[str]) -> Iterator[str]:
    yield from (family for family in map(family_of, names) if family is not None)


async def _all_of(works: Sequence[Coroutine[Any, Any, Duel]]) -> list[Duel]:
    """Await all; what fails as a whole (no judge, no money) stops the rest before it passes through."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
