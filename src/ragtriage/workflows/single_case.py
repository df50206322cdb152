"""Ask one case at a time and measure it alone: what a test of a single case needs.

Nothing is written. The system is opened once, with the first case, and asked each case once; its connections and its
event loop live until `close`.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ragtriage.core.catalogue import METRICS
from ragtriage.core.clock import Clock
from ragtriage.core.errors import BadInput
from ragtriage.core.records import Case, Chunk, Trace
from ragtriage.core.results import CaseResult, CaseScore
from ragtriage.core.score import Failed
from ragtriage.core.system import Override, Question
from ragtriage.core.verdicts import JudgeCall, Verdicts
from ragtriage.runs.asking import Reply, System
from ragtriage.runs.execute import Item, Silent, Stop, execute
from ragtriage.runs.scoring import score_cases
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.selection import Selected, judge_runs, parse_name, records_of, select
from ragtriage.runs.store import Finished
from ragtriage.runs.systems.opening import Opened, open_system
from ragtriage.runs.viewing import RunViews, build_views
from ragtriage.workflows.inputs import Inputs
from ragtriage.workflows.judging import judge_of
from ragtriage.workflows.measuring import Records, case_results
from ragtriage.workflows.settings import secrets_of

__all__ = ["CaseAsker", "MeasuredCase", "metric_for"]

_CUT = re.compile(r"_at_(\d+)$")


class CaseAsker:
    """Asks the system of a configuration single cases; each is asked once and its answer kept.

    `environment`: where `env:NAME` of the configuration is looked up. Raises BadInput where a name is not set.
    """

    def __init__(self, inputs: Inputs, *, clock: Clock, environment: Mapping[str, str]) -> None:
        self._inputs = inputs
        self._clock = clock
        self._secrets: Secrets = secrets_of(inputs.configuration, environment)
        self._lane = _Lane()
        self._asked: dict[str, MeasuredCase] = {}
        self._opened: Opened | None = None
        self._recorded: dict[str, Trace] = {}

    def ask(self, case: Case) -> MeasuredCase:
        """Ask the case, unless it was asked before; raises SystemUnavailable where the system cannot be reached."""
        if case.case_id not in self._asked:
            opened = self._open()
            kept = _Kept()
            stop = Stop()
            work = execute(
                iter([Item(case, 0, self._recorded.get(case.case_id))]),
                system=_StaysOpen(opened.system),
                store=kept,
                judge=judge_of(
                    self._inputs.configuration,
                    selection=self._inputs.selection,
                    cases=[case],
                    base=self._inputs.settings.base,
                    secrets=self._secrets.values,
                    clock=self._clock,
                ),
                concurrency=1,
                clock=self._clock,
                secrets=self._secrets,
                progress=Silent(),
                stop=stop,
            )
            self._lane.run(work, stop)
            self._asked[case.case_id] = MeasuredCase(case, self._inputs, kept.finished[0], opened.system.chunks())
        return self._asked[case.case_id]

    def close(self) -> None:
        """Let go of the system."""
        if self._opened is not None:
            self._lane.run(self._opened.system.close(), Stop())
        self._lane.close()

    def _open(self) -> Opened:
        if self._opened is None:
            configuration, cases = self._inputs.configuration, self._inputs.whole.cases
            self._opened = open_system(
                configuration,
                base=self._inputs.settings.base,
                cases=cases,
                clock=self._clock,
                secrets=self._secrets,
                concurrency=1,
                documents=self._inputs.documents,
            )
            if self._opened.recorded is not None:
                self._recorded = {case.case_id: trace for case, _, trace in self._opened.recorded.of(cases, repeat=1)}
        return self._opened


@dataclass(frozen=True)
class MeasuredCase:
    """One case that was asked: its trace, its scores and its cause, as a run of this case alone would have them."""

    case: Case
    inputs: Inputs
    finished: Finished
    chunks: tuple[Chunk, ...] | None

    @cached_property
    def trace(self) -> Trace:
        """What happened; of a failed case it holds the error."""
        return Trace.model_validate_json(self.finished.trace)

    @property
    def failed(self) -> Failed | None:
        """What broke, None where the case was answered and judged."""
        return self.finished.failed

    @cached_property
    def result(self) -> CaseResult:
        """Whether the case is ok, and the first stage that broke it."""
        return case_results(self._views, self.inputs, self._records)[0]

    def scores(self, metric: Selected) -> tuple[CaseScore, ...]:
        """Return the scores of a metric, one a level that says something of this case, the default first."""
        settings = self.inputs.configuration
        chosen = select(
            [metric.name],
            context_size=settings.system.context_size,
            judged=judge_runs(settings),
            writes=records_of(settings),
            ingest=settings.ingest,
        )
        return tuple(score_cases(self._views, chosen))

    @cached_property
    def _records(self) -> Records:
        name, verdicts = self.case.case_id, self.finished.verdicts
        return Records(
            corpus=self.inputs.corpus,
            golden=replace(self.inputs.whole, cases=(self.case,)),
            chunks=self.chunks,
            traces={name: self.trace},
            verdicts={} if verdicts is None else {name: Verdicts.model_validate_json(verdicts)},
            failures={} if self.failed is None else {name: self.failed},
        )

    @cached_property
    def _views(self) -> RunViews:
        records = self._records
        return build_views(
            corpus=records.corpus,
            golden=records.golden,
            traces=records.traces,
            verdicts=records.verdicts,
            failures=records.failures,
            chunks=records.chunks,
            settings=self.inputs.configuration,
            given=self.inputs.given,
            ontology=self.inputs.ontology,
        )


def metric_for(name: str, *, context_size: int) -> Selected:
    """Return the metric that a name means, also one that is written as a Python word.

    The first underscore stands for the dot, `_at_10` at the end for `@10`; a metric that needs a k and is given none
    takes the context size. Raises UnknownName, and BadInput for a metric that no single case has a score of.

    >>> metric_for("retrieval_recall", context_size=4).name, metric_for("retrieval_ndcg_at_10", context_size=4).name
    ('retrieval.recall@4', 'retrieval.ndcg@10')
    """
    text = name if "." in name else _CUT.sub(r"@\1", name.replace("_", ".", 1))
    selected = parse_name(text)
    if selected.metric.takes_many:
        raise BadInput(f"{selected.name} is measured over many cases and has no score of one: hold it by a gate rule")
    if _needs_cut(selected):
        selected = parse_name(f"{text}@{context_size}", catalogue=METRICS)
    return selected


def _needs_cut(selected: Selected) -> bool:
    parameter = inspect.signature(selected.metric.compute).parameters.get("k")
    return parameter is not None and parameter.default is parameter.empty and "k" not in selected.parameters


class _Lane:
    """A thread with an event loop of its own, so that a running loop is no hindrance and clients keep theirs."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ragtriage-case")
        self._runner = asyncio.Runner()

    def run(self, work: Any, stop: Stop) -> None:
        """Return when the work is done; what it raises is raised here."""
        running = self._thread.submit(self._runner.run, work)
        try:
            running.result()
        except KeyboardInterrupt:
            stop.set()
            running.exception()
            raise

    def close(self) -> None:
        """End the thread."""
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()


@dataclass
class _Kept:
    """Keeps what is finished in memory."""

    finished: list[Finished] = field(default_factory=list)

    def add(self, finished: Iterable[Finished]) -> None:
        """Keep it."""
        self.finished.extend(finished)

    def add_calls(self, calls: Iterable[JudgeCall]) -> None:
        """Forget them: a single case is not resumed."""
        del calls


class _StaysOpen:
    """A system that is not closed when its question is answered."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.takes_override = system.takes_override

    async def ask(self, question: Question, *, override: Override | None = None) -> Reply:
        """Ask it."""
        return await self._system.ask(question, override=override)

    def chunks(self) -> tuple[Chunk, ...] | None:
        """Return its chunks."""
        return self._system.chunks()

    async def close(self) -> None:
        """Leave it open for the next case."""
