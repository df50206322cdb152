"""Evaluate: ask every question, judge, store, measure, decide, and leave a run folder that says it all."""

from __future__ import annotations

import asyncio
import os
import secrets as chance
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ragtriage.core.clock import Clock, SystemClock
from ragtriage.core.errors import BadInput, Interrupted, StorageFailed
from ragtriage.core.verdicts import JudgeCall
from ragtriage.runs.execute import Judge, ModelJudging, Progress, Silent, Stop, execute
from ragtriage.runs.lock import FolderLock
from ragtriage.runs.plan import Plan
from ragtriage.runs.searching import Searches
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.store import RunStore
from ragtriage.runs.systems.opening import Opened, open_system
from ragtriage.runs.viewing_places import Places
from ragtriage.workflows.finishing import finish, named_documents_of
from ragtriage.workflows.folder import remove_derived
from ragtriage.workflows.inputs import Inputs
from ragtriage.workflows.judging import judge_of
from ragtriage.workflows.planned import Asked, bundle_of, folder_of, inputs_for
from ragtriage.workflows.remaining import items_of, remaining
from ragtriage.workflows.run import Run
from ragtriage.workflows.sentence_vectors import Sentences
from ragtriage.workflows.settings import secrets_of

__all__ = ["evaluate"]

_RECORDED_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class _Options:
    """What a call of `evaluate` asks for beside the configuration."""

    folder: Path
    resumes: bool
    limit: int | None
    where: str | None
    jobs: int | None
    baseline: Run | None
    gate: bool


def evaluate(
    config: str | Path | None = None,
    *,
    system: Callable[..., Any] | None = None,
    golden: str | Path | None = None,
    corpus: str | Path | None = None,
    metrics: Sequence[str] | None = None,
    output: str | Path | None = None,
    resume: str | Path | None = None,
    limit: int | None = None,
    where: str | None = None,
    repeat: int | None = None,
    jobs: int | None = None,
    baseline: str | Path | None = None,
    gate: bool = True,
    max_cost_usd: float | None = None,
    clock: Clock | None = None,
    progress: Progress | None = None,
    embedding_progress: Progress | None = None,
    environment: Mapping[str, str] | None = None,
) -> Run:
    """Evaluate a system and write the run folder (`runs/latest` unless `output` names another).

    `config` is a ragtriage.toml; the other arguments stand in its place or beside it. A finished run in the folder is
    replaced once the new plan stands; an unfinished one is continued when the plan is the same, and refused otherwise.
    With `resume` also a finished run is continued: what failed is asked again, and limit, condition and repeat are
    those of the run unless they are given. `max_cost_usd` stands in place of the configuration's. `progress` is told of
    questions, `embedding_progress` of sentences. Works inside a running event loop. Raises BadInput (PlanChanged where
    the plan is another), SystemUnavailable, StorageFailed, Interrupted.
    """
    folder = folder_of(output, resume)
    asked = Asked(
        config=config,
        resume=resume,
        system=system,
        golden=golden,
        corpus=corpus,
        metrics=metrics,
        limit=limit,
        where=where,
        repeat=repeat,
        max_cost_usd=max_cost_usd,
    )
    inputs, asked = inputs_for(asked, folder)
    base = None if baseline is None else Run.load(baseline)
    options = _Options(folder, resume is not None, asked.limit, asked.where, jobs, base, gate)
    secrets = secrets_of(inputs.configuration, os.environ if environment is None else environment)
    with FolderLock(folder):
        told = progress or Silent(), embedding_progress or Silent()
        run = _Evaluation(inputs, options, secrets, clock or SystemClock(), *told)
        return run.run(system)


@dataclass
class _Evaluation:
    """One attempt at one run, while its folder is locked."""

    inputs: Inputs
    options: _Options
    secrets: Secrets
    clock: Clock
    progress: Progress
    embedding_progress: Progress

    def run(self, answer: Callable[..., Any] | None) -> Run:
        """Open the folder and the system, ask what is missing, measure, write."""
        folder, existing = self.options.folder, None
        if RunStore.exists(folder):  # a damaged file is found before the system is loaded
            existing = RunStore.open(folder, writable=True)
        try:
            known = existing.judge_calls() if existing is not None and self._continues(existing) else {}
            judge = self._judge(known)
            if existing is not None and self._continues(existing):
                self._check_early(existing.plan)
            opened = self._opened(answer)
            sentences = self._sentences(opened)
            plan = self._plan(opened)
            if existing is not None and self._continues(existing):
                existing.plan.check_same(plan, folder=str(folder))
                store, existing = existing, None
            else:
                if existing is not None:
                    existing.close()
                    existing = None
                remove_derived(folder)
                store = RunStore.create(folder, plan, self.inputs.golden.cases, opened.system.chunks())
        except KeyboardInterrupt:
            raise self._interrupted() from None
        finally:
            if existing is not None:
                existing.close()
        with store:
            return self._attempt(store, opened, judge, sentences)

    def _judge(self, known: Mapping[str, JudgeCall]) -> Judge | ModelJudging | None:
        """Make the judge; `known`: what an earlier attempt paid for and need not be asked again."""
        return judge_of(
            self.inputs.configuration,
            selection=self.inputs.selection,
            cases=self.inputs.golden.cases,
            base=self.inputs.settings.base,
            secrets=self.secrets.values,
            clock=self.clock,
            replies=known,
        )

    def _check_early(self, stored: Plan) -> None:
        """Refuse what is known to have changed before minutes go into loading the system; raises PlanChanged."""
        now = bundle_of(self.inputs, None)
        known = {name: value for name, value in stored.bundle.items() if name in now and name != "chunks"}
        early = replace(stored, bundle={name: now[name] for name in known})
        replace(stored, bundle=known).check_same(early, folder=str(self.options.folder))

    def _sentences(self, opened: Opened) -> Sentences | None:
        return Sentences.of(
            self.inputs, opened, secrets=self.secrets, clock=self.clock, progress=self.embedding_progress
        )

    def _attempt(
        self, store: RunStore, opened: Opened, judge: Judge | ModelJudging | None, sentences: Sentences | None
    ) -> Run:
        store.begin(at=self.clock.now())
        try:
            self._ask(store, opened, judge, sentences)
            store.add_documents(named_documents_of(store, self.inputs))
            run = finish(store, self.inputs, baseline=self.options.baseline, gate=self.options.gate)
            store.end("complete")
        except (KeyboardInterrupt, Interrupted):
            with suppress(StorageFailed):
                store.end("interrupted")
            raise self._interrupted() from None
        return run

    def _interrupted(self) -> Interrupted:
        return Interrupted(f"interrupted; what was answered is kept. Continue with --resume {self.options.folder}")

    def _opened(self, answer: Callable[..., Any] | None) -> Opened:
        return open_system(
            self.inputs.configuration,
            base=self.inputs.settings.base,
            cases=self.inputs.golden.cases,
            clock=self.clock,
            secrets=self.secrets,
            concurrency=self._concurrency(),
            documents=self.inputs.documents,
            answer=answer,
        )

    def _concurrency(self) -> int:
        jobs = self.options.jobs
        if jobs is not None and jobs < 1:
            raise BadInput(f"the number of jobs must be 1 or more. Got {jobs}")
        return jobs or self.inputs.configuration.system.concurrency

    def _at_once(self) -> int:
        """Return how many recorded answers are judged at once: enough that none of the judge's places stays empty."""
        return max(_RECORDED_AT_ONCE, 2 * self.inputs.configuration.judge.concurrency)

    def _plan(self, opened: Opened) -> Plan:
        file = self.inputs.settings.file
        return Plan(
            bundle=bundle_of(self.inputs, opened),
            configuration=self.inputs.configuration.to_json(),
            base=str(self.inputs.settings.base.resolve()),
            file=None if file is None else str(file.resolve()),
            run_id=f"{self.clock.now():%Y%m%dT%H%M%SZ}-{chance.token_hex(3)}",
            limit=self.options.limit,
            where=self.options.where,
            notes=(*self.inputs.notes(), *(opened.recorded.notes if opened.recorded is not None else ())),
        )

    def _continues(self, existing: RunStore) -> bool:
        return self.options.resumes or existing.status != "complete"

    def _ask(
        self, store: RunStore, opened: Opened, judge: Judge | ModelJudging | None, sentences: Sentences | None
    ) -> None:
        """Ask what is still missing, in a thread with a loop of its own, so that a running loop is no hindrance."""
        left = remaining(store, self.inputs, judged=judge is not None)
        repeat = self.inputs.configuration.run.repeat
        cases = self.inputs.golden.cases
        self.progress.begin(len(cases) * repeat, len(left.finished))
        stop = Stop()
        work = execute(
            items_of(opened, self.inputs, left),
            system=opened.system,
            store=store,
            judge=judge,
            concurrency=self._concurrency() if opened.recorded is None else self._at_once(),
            clock=self.clock,
            secrets=self.secrets,
            progress=self.progress,
            stop=stop,
            searches=self._searches(store),
            then=None if sentences is None else partial(sentences.embed, store),
        )
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="ragtriage-run") as pool:
            running = pool.submit(asyncio.run, work)
            try:
                running.result()
            except KeyboardInterrupt:
                stop.set()
                running.exception()
                raise
            finally:
                self.progress.end()

    def _searches(self, store: RunStore) -> Searches | None:
        forms, corpus = self.inputs.configuration.query.compare, self.inputs.corpus
        if not forms:
            return None
        listed = store.chunks()
        places = Places(corpus, listed if listed is not None or corpus is None else corpus.chunks)
        return Searches(forms, lambda hit: places.text(places.passage(hit)))
