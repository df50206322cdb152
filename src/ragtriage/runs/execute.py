"""Ask, judge, store: the only place with concurrency and with the system under test.

A worker holds its place until its question is durable, so no more questions are ever repeated after a kill than were
in flight. Results are read back in the order of the golden set, whatever order they came in.
"""

from __future__ import annotations

import asyncio
import gc
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ragtriage.core.clock import Clock
from ragtriage.core.errors import (
    BudgetReached,
    Interrupted,
    JudgeUnavailable,
    RagtriageError,
    StorageFailed,
    SystemUnavailable,
)
from ragtriage.core.records import Case, Trace
from ragtriage.core.score import Failed
from ragtriage.core.system import Question
from ragtriage.core.verdicts import JudgeCall, Verdicts
from ragtriage.runs.asking import AskFailed, System, failed_trace, place_of, read_reply
from ragtriage.runs.searching import Searches, searched
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.store import JUDGE, Finished

__all__ = [
    "Item",
    "Judge",
    "Keep",
    "Keeper",
    "ModelJudging",
    "Progress",
    "Silent",
    "Stop",
    "execute",
    "pending",
    "question_of",
]

Judge = Callable[[Case, Trace], Verdicts]
Keep = Callable[[JudgeCall], Awaitable[None]]
_GIVE_UP_AFTER = 8
_COLLECT_AFTER = 50_000
_GROUPED_S = 0.01  # what comes within it after a commit shares the next one: each costs a wait for the disk


@runtime_checkable
class ModelJudging(Protocol):
    """A judge that asks a model: `keep` returns when a call is durable, before anything read from it is used."""

    async def judge(self, case: Case, trace: Trace, keep: Keep, earlier: Verdicts | None = None) -> Verdicts:
        """Judge one case; raises JudgeUnavailable or BudgetReached, which end the run.

        `earlier`: what an earlier attempt wrote; only what failed there for want of a reply is asked again.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Progress(Protocol):
    """What is told of a run while it runs."""

    def begin(self, total: int, done: int) -> None:
        """Start: so many questions in all, so many of them done by earlier attempts."""
        ...

    def advance(self, *, failed: bool) -> None:
        """One more question is durable."""
        ...

    def end(self) -> None:
        """Nothing more will come."""
        ...


class Keeper(Protocol):
    """Where finished questions are kept: the run's store, or memory for a single case."""

    def add(self, finished: Iterable[Finished]) -> None:
        """Keep them, all or none; raises StorageFailed."""
        ...

    def add_calls(self, calls: Iterable[JudgeCall]) -> None:
        """Keep replies of a judge, all or none; raises StorageFailed."""
        ...


class Silent:
    """Progress that says nothing."""

    def begin(self, total: int, done: int) -> None:
        """Say nothing."""

    def advance(self, *, failed: bool) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question to be asked for the `repeat`-th time, from 0; `recorded` where it was asked already.

    `earlier`: the verdicts that an earlier attempt wrote, where they lack something.
    """

    case: Case
    repeat: int
    recorded: Trace | None = None
    earlier: Verdicts | None = None


class Stop:
    """A request to stop that any thread may make."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._wakers: list[Callable[[], object]] = []

    def set(self) -> None:
        """Ask the run to stop."""
        self._asked.set()
        for wake in list(self._wakers):
            wake()

    async def wait(self) -> None:
        """Return when the run is asked to stop."""
        loop, woken = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the run ended just now, and its loop with it
                loop.call_soon_threadsafe(woken.set)

        self._wakers.append(wake)
        if not self._asked.is_set():
            await woken.wait()


def pending(cases: Sequence[Case], *, repeat: int, finished: frozenset[tuple[str, int]]) -> Iterator[Item]:
    """Yield what is still to be asked: what no attempt has answered, in golden order, first all first repeats."""
    for number in range(repeat):
        for case in cases:
            if (case.case_id, number) not in finished:
                yield Item(case, number)


def question_of(case: Case) -> Question:
    """Return what the system under test gets to see of a case."""
    return Question(case.question, case.case_id, case.principal, case.as_of, case.language)


class _Writer:
    """Makes finished questions durable, those that wait together in one transaction, in a thread of its own."""

    def __init__(self, store: Keeper) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ragtriage-store")
        self._waiting: deque[tuple[Finished | JudgeCall, asyncio.Future[None]]] = deque()
        self._writing: asyncio.Task[None] | None = None
        self._written_s = -_GROUPED_S

    async def write(self, finished: Finished | JudgeCall) -> None:
        """Return when it is durable; raises StorageFailed. Once called it is written even if the caller is stopped."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((finished, done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._drain())
        await done

    async def close(self) -> None:
        """Finish what waits."""
        if self._writing is not None:
            await asyncio.gather(self._writing, return_exceptions=True)
        self._thread.shutdown()

    async def _drain(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            if (wait_s := self._written_s + _GROUPED_S - loop.time()) > 0:
                await asyncio.sleep(wait_s)
            batch = list(self._waiting)
            self._waiting.clear()
            try:
                await loop.run_in_executor(self._thread, self._keep, [one for one, _ in batch])
            except RagtriageError as error:
                for _, done in (*batch, *self._waiting):
                    if not done.done():  # else its worker is already stopped
                        done.set_exception(error)
                self._waiting.clear()
                return
            self._written_s = loop.time()
            for _, done in batch:
                if not done.done():
                    done.set_result(None)

    def _keep(self, batch: Sequence[Finished | JudgeCall]) -> None:
        """Keep calls first, so that no verdict is ever durable before what it was read from."""
        calls = [one for one in batch if isinstance(one, JudgeCall)]
        finished = [one for one in batch if isinstance(one, Finished)]
        if calls:
            self._store.add_calls(calls)
        if finished:
            self._store.add(finished)


@dataclass(slots=True)
class _Engine:
    """One attempt: what asks, judges and stores a question."""

    system: System
    judge: Judge | None
    model: ModelJudging | None
    writer: _Writer
    judging: ThreadPoolExecutor
    clock: Clock
    secrets: Secrets
    progress: Progress
    searches: Searches | None = None
    answered: int = 0
    unreachable: int = 0
    why: str = ""

    async def work(self, items: Iterator[Item]) -> None:
        """Take questions until none is left; raises StorageFailed and SystemUnavailable."""
        for item in items:
            finished = await self._finish(item)
            await self.writer.write(finished)
            self.progress.advance(failed=finished.failed is not None)
            if self.unreachable >= _GIVE_UP_AFTER:
                self.check_reached()

    def check_reached(self) -> None:
        """Raise SystemUnavailable where the system was not reached by any question of this attempt."""
        if self.unreachable and not self.answered:
            raise SystemUnavailable(f"the system under test cannot be reached: {self.why}")

    async def _finish(self, item: Item) -> Finished:
        """Ask and judge one question. Whatever breaks here breaks this case alone and is recorded."""
        question, asked_at, started = question_of(item.case), self.clock.now(), self.clock.monotonic_ms()
        trace = item.recorded
        try:
            if trace is None:
                reply = await self.system.ask(question)
                trace = read_reply(reply, question, repeat=item.repeat, asked_at=asked_at)
                if self.searches is not None and not item.repeat:
                    trace = await searched(self.system, trace, question, self.searches, asked_at)
            self.answered += 1
            verdicts = await self._judged(item.case, trace, item.earlier)
        except (JudgeUnavailable, BudgetReached, StorageFailed):  # no later case would fare better
            raise
        except Exception as error:  # noqa: BLE001 - the case boundary: a failure in one case is a record
            failure = self._failure(error, waited_ms=self.clock.monotonic_ms() - started)
            if trace is not None:
                return self._finished(item, trace, failed=Failed(JUDGE, failure.kind, failure.message))
            return self._finished(item, failed_trace(question, failure, repeat=item.repeat, asked_at=asked_at))
        return self._finished(item, trace, verdicts=verdicts)

    async def _judged(self, case: Case, trace: Trace, earlier: Verdicts | None) -> Verdicts | None:
        if trace.error is not None:
            return None
        if self.model is not None:
            return await self.model.judge(case, trace, self._keep, earlier)
        if self.judge is None:
            return None
        return await asyncio.get_running_loop().run_in_executor(self.judging, self.judge, case, trace)

    async def _keep(self, call: JudgeCall) -> None:
        reply = self.secrets.scrub(call.reply)
        await self.writer.write(call if reply == call.reply else call.model_copy(update={"reply": reply}))

    def _failure(self, error: Exception, *, waited_ms: float) -> AskFailed:
        if not isinstance(error, AskFailed):
            error = AskFailed(type(error).__name__, f"{error}{place_of(error)}", duration_ms=waited_ms)
        message = self.secrets.scrub(error.message)
        if error.unreachable:
            self.unreachable += 1
            self.why = message
        else:
            self.answered += 1
        return AskFailed(
            error.kind,
            message,
            stage=error.stage,
            timed_out=error.timed_out,
            duration_ms=waited_ms if error.duration_ms is None else error.duration_ms,
        )

    def _finished(
        self, item: Item, trace: Trace, *, verdicts: Verdicts | None = None, failed: Failed | None = None
    ) -> Finished:
        error = trace.error
        if failed is None and error is not None:
            failed = Failed(error.stage, error.type, error.message)
        return Finished(
            item.case.case_id,
            item.repeat,
            self.secrets.scrub(trace.model_dump_json(exclude_defaults=True)),
            None if verdicts is None else self.secrets.scrub(verdicts.model_dump_json(exclude_defaults=True)),
            failed,
        )


@contextmanager
def _rarely_collecting() -> Iterator[None]:
    """Look for unreachable cycles after more objects than are ever in flight: else every look visits those, in vain."""
    first, *rest = gc.get_threshold()
    gc.set_threshold(max(first, _COLLECT_AFTER) if first else 0, *rest)
    try:
        yield
    finally:
        gc.set_threshold(first, *rest)


async def _all_done(tasks: Iterable[asyncio.Task[None]], stopping: asyncio.Task[None]) -> None:
    """Wait for the tasks; raises what the first of them raises, and Interrupted as soon as the run is to stop."""
    remaining = set(tasks)
    while remaining:
        done, _ = await asyncio.wait({*remaining, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if stopping in done:
            raise Interrupted("interrupted")
        for task in done:
            task.result()
        remaining -= done


async def execute(
    items: Iterator[Item],
    *,
    system: System,
    store: Keeper,
    judge: Judge | ModelJudging | None,
    concurrency: int,
    clock: Clock,
    secrets: Secrets,
    progress: Progress,
    stop: Stop,
    searches: Searches | None = None,
    then: Callable[[], Coroutine[Any, Any, None]] | None = None,
) -> None:
    """Ask every item, at most `concurrency` at once, each durable before its worker goes on.

    `then`: what is done after the last question, while the system is still open. Raises Interrupted when `stop` is set
    (what was answered is stored first), StorageFailed at the first write that fails (nothing more is asked),
    SystemUnavailable where the system cannot be reached at all.
    """
    writer = _Writer(store)
    with _rarely_collecting(), ThreadPoolExecutor(1, thread_name_prefix="ragtriage-judge") as judging:
        model = judge if isinstance(judge, ModelJudging) else None
        rules = None if isinstance(judge, ModelJudging) else judge
        engine = _Engine(system, rules, model, writer, judging, clock, secrets, progress, searches)
        tasks = {asyncio.create_task(engine.work(items)) for _ in range(concurrency)}
        stopping = asyncio.create_task(stop.wait())
        try:
            await _all_done(tasks, stopping)
            engine.check_reached()
            if then is not None:
                last = asyncio.create_task(then())
                tasks.add(last)
                await _all_done({last}, stopping)
        finally:
            for task in (*tasks, stopping):
                task.cancel()
            await asyncio.gather(*tasks, stopping, return_exceptions=True)
            await writer.close()
            if model is not None:
                await model.close()
            await system.close()
            asyncio.get_running_loop().set_exception_handler(lambda *_: None)  # what outlives the run is nobody's news
