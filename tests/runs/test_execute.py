"""The engine: bounded, in golden order, durable before it goes on, and a failure of one case stays one."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ragtriage.core.clock import FixedClock
from ragtriage.core.errors import Interrupted, StorageFailed, SystemUnavailable
from ragtriage.core.records import Case, Chunk, Trace
from ragtriage.core.score import Failed
from ragtriage.core.system import Override, Question
from ragtriage.core.verdicts import Verdicts
from ragtriage.runs.asking import AskFailed, Reply
from ragtriage.runs.execute import Judge, Silent, Stop, execute, pending, question_of
from ragtriage.runs.plan import Plan
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.store import FILE, JUDGE, Finished, RunStore

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Counting:
    """A system that counts what it is asked and does as it is told."""

    takes_override = False

    def __init__(self, answer: Callable[[Question], object] | None = None) -> None:
        self.asked: list[str] = []
        self.together = self.most_together = 0
        self._answer = answer or (lambda question: f"answer to {question.case_id}")

    async def ask(self, question: Question, *, override: Override | None = None) -> Reply:  # noqa: ARG002 - takes none
        self.asked.append(question.case_id)
        self.together += 1
        self.most_together = max(self.most_together, self.together)
        try:
            said = self._answer(question)
            value = await said if asyncio.iscoroutine(said) else said
        finally:
            self.together -= 1
        return Reply(value, 1.0)

    def chunks(self) -> tuple[Chunk, ...] | None:
        return None

    async def close(self) -> None:
        pass


class Told(Silent):
    def __init__(self) -> None:
        self.failed: list[bool] = []

    def advance(self, *, failed: bool) -> None:
        self.failed.append(failed)


def cases(count: int) -> list[Case]:
    return [Case(case_id=f"c{n}", question=f"question {n}?") for n in range(count)]


def judge(case: Case, trace: Trace) -> Verdicts:
    return Verdicts(case_id=case.case_id, judge="fake", rubric=trace.trace_id[:4])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with RunStore.create(tmp_path, Plan({}, {}, "."), cases(20), None) as made:
        made.begin(at=NOW)
        yield made


def run(
    store: RunStore,
    system: Counting,
    *,
    count: int = 20,
    workers: int = 4,
    judged: Judge | None = judge,
    stop: Stop | None = None,
    secrets: Secrets | None = None,
    progress: Silent | None = None,
) -> None:
    asyncio.run(
        execute(
            pending(cases(count), repeat=1, finished=store.finished()),
            system=system,
            store=store,
            judge=judged,
            concurrency=workers,
            clock=FixedClock(),
            secrets=secrets or Secrets(),
            progress=progress or Silent(),
            stop=stop or Stop(),
        )
    )


def test_every_question_is_asked_once_and_judged_and_told(store: RunStore) -> None:
    system, told = Counting(), Told()
    run(store, system, progress=told)
    assert sorted(system.asked) == sorted(f"c{n}" for n in range(20))
    assert len(dict(store.traces())) == len(dict(store.verdicts())) == 20
    assert told.failed == [False] * 20


@pytest.mark.parametrize("workers", [1, 3, 8])
def test_no_more_questions_are_under_way_than_there_are_workers(store: RunStore, workers: int) -> None:
    async def slowly(question: Question) -> str:
        await asyncio.sleep(0.001)
        return question.case_id

    system = Counting(slowly)
    run(store, system, workers=workers)
    assert system.most_together == workers


def test_a_worker_asks_no_further_question_before_its_last_one_is_durable(tmp_path: Path, store: RunStore) -> None:
    behind: list[int] = []

    def answer(question: Question) -> str:
        with RunStore.open(tmp_path) as other:
            behind.append(len(system.asked) - len(other.asked()))
        return question.case_id

    system = Counting(answer)
    run(store, system, workers=3)
    assert max(behind) <= 3


@pytest.mark.parametrize("workers", [1, 4])
def test_case_b41_answers_stay_with_their_questions_whatever_order_they_come_in(
    store: RunStore, shared: Callable[[str], Path], workers: int
) -> None:
    given = json.loads(shared("cases/inputs/B41.json").read_text())["cases"]

    async def answer(question: Question) -> dict[str, Any]:
        mine = given[int(question.case_id[1:])]
        await asyncio.sleep(mine["delay_ms"] / 1000)
        return {"answer": {"text": question.text, "confidence": mine["score"]}}

    run(store, Counting(answer), count=4, workers=workers)
    found = {name: trace.answer.confidence for name, trace in store.traces() if trace.answer is not None}
    assert list(found.items()) == [("c0", 0.0), ("c1", 0.1), ("c2", 0.2), ("c3", 0.3)]
    assert all(trace.answer is not None and trace.answer.text == trace.question for _, trace in store.traces())


def test_an_exception_breaks_its_case_alone_and_its_place_is_named(store: RunStore) -> None:
    def answer(question: Question) -> str:
        if question.case_id == "c3":
            raise KeyError("index")
        return "fine"

    run(store, Counting(answer), count=5)
    (failed,) = store.failures().items()
    assert failed[0] == "c3"
    assert (failed[1].stage, failed[1].error) == ("system", "KeyError")
    assert failed[1].message.startswith("'index' (test_execute.py:")
    trace = dict(store.traces())["c3"]
    assert trace.error is not None
    assert trace.error.type == "KeyError"
    assert "c3" not in dict(store.verdicts())


def test_a_time_out_is_recorded_as_one(store: RunStore) -> None:
    def answer(_: Question) -> str:
        raise AskFailed("TimeoutError", "no answer within 2 s", timed_out=True, duration_ms=2000.0)

    run(store, Counting(answer), count=1)
    trace = dict(store.traces())["c0"]
    assert trace.error is not None
    assert trace.error.timed_out
    assert [(t.stage, t.duration_ms) for t in trace.timings or ()] == [("total", 2000.0)]


def test_a_judge_that_breaks_leaves_the_answer_standing(store: RunStore) -> None:
    def broken(_: Case, __: Trace) -> Verdicts:
        raise RuntimeError("no rubric")

    run(store, Counting(), count=2, judged=broken)
    assert all(trace.error is None for _, trace in store.traces())
    assert {failed.stage for failed in store.failures().values()} == {JUDGE}
    system = Counting()
    run(store, system, count=2)
    assert system.asked == []


def test_no_secret_reaches_the_file(tmp_path: Path, store: RunStore) -> None:
    canary = "canary-0123456789-ü"

    def answer(question: Question) -> str:
        if question.case_id == "c0":
            raise ValueError(f"401 for {canary}")
        return f"your key is {canary}"

    run(store, Counting(answer), count=2, secrets=Secrets({"KEY": canary}))
    store.close()
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"canary-0123456789" not in content
    assert content.count(b"env:KEY") >= 2


def test_an_answer_that_cannot_be_stored_as_json_is_a_failure_of_its_case(store: RunStore) -> None:
    run(store, Counting(lambda _: "lone \udc80 surrogate"), count=1)
    assert store.failures()["c0"].error == "InvalidReply"


def test_a_message_with_a_lone_surrogate_can_be_stored(store: RunStore) -> None:
    def answer(_: Question) -> str:
        raise ValueError("path \udc80")

    run(store, Counting(answer), count=1)
    assert store.failures()["c0"].message.startswith("path \\udc80")


class Full(RunStore):
    """A disk that is full after some writes."""

    room = 3

    def add(self, finished: Any) -> None:
        batch: list[Finished] = list(finished)
        if self.room < len(batch):
            raise StorageFailed("run.sqlite: database or disk is full")
        self.room -= len(batch)
        super().add(batch)


def test_a_full_disk_stops_the_asking_at_once(tmp_path: Path, store: RunStore) -> None:
    store.__class__ = Full
    system = Counting()
    with pytest.raises(StorageFailed, match="disk is full"):
        run(store, system, workers=2)
    assert len(system.asked) <= 3 + 2 + 2  # stored, under way, and one batch that met the full disk
    with RunStore.open(tmp_path) as again:
        assert len(again.finished()) <= 3


def test_a_system_that_cannot_be_reached_ends_the_run_early(store: RunStore) -> None:
    def answer(_: Question) -> str:
        raise AskFailed("ConnectionError", "refused", unreachable=True)

    system = Counting(answer)
    with pytest.raises(SystemUnavailable, match="cannot be reached: refused"):
        run(store, system, workers=2)
    assert 8 <= len(system.asked) <= 10
    assert len(store.failures()) >= 8
    assert store.finished() == frozenset()


def test_a_system_that_answered_once_is_not_given_up(store: RunStore) -> None:
    def answer(question: Question) -> str:
        if question.case_id != "c0":
            raise AskFailed("ConnectionError", "refused", unreachable=True)
        return "once"

    run(store, Counting(answer), workers=1)
    assert len(store.failures()) == 19


def test_a_stop_stores_what_was_answered_and_leaves_the_rest(store: RunStore) -> None:
    stop = Stop()

    async def answer(question: Question) -> str:
        if question.case_id == "c5":
            stop.set()
            await asyncio.sleep(30)
        return "fine"

    system = Counting(answer)
    started = time.monotonic()
    with pytest.raises(Interrupted):
        run(store, system, workers=2, stop=stop)
    assert time.monotonic() - started < 5
    done = {name for name, _ in store.finished()}
    assert "c5" not in done
    assert len(done) >= len(system.asked) - 2
    more = Counting()
    run(store, more)
    assert set(more.asked) == {f"c{n}" for n in range(20)} - done


def test_a_stop_while_answers_are_written_loses_none_of_them(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, add = Stop(), store.add

    def slow(finished: Iterable[Finished]) -> None:
        stop.set()
        time.sleep(0.2)
        add(finished)

    monkeypatch.setattr(store, "add", slow)
    system = Counting()
    with pytest.raises(Interrupted):
        run(store, system, workers=4, judged=None, stop=stop)
    assert {name for name, _ in store.finished()} == set(system.asked)
    assert len(system.asked) >= 4


def test_a_run_leaves_the_collector_of_cycles_as_it_was(store: RunStore) -> None:
    before = gc.get_threshold()
    run(store, Counting(), count=2)
    assert gc.get_threshold() == before


def test_a_stop_from_another_thread_is_heard(store: RunStore) -> None:
    stop = Stop()
    threading.Timer(0.05, stop.set).start()
    with pytest.raises(Interrupted):
        run(store, Counting(lambda _: asyncio.sleep(30)), workers=2, stop=stop)


def test_a_stop_that_comes_as_the_run_has_just_ended_harms_nothing(store: RunStore) -> None:
    stop = Stop()
    run(store, Counting(), count=2, stop=stop)
    stop.set()
    assert len(store.finished()) == 2


def test_case_b39_resuming_takes_the_union_of_all_attempts(tmp_path: Path, shared: Callable[[str], Path]) -> None:
    given = json.loads(shared("cases/inputs/B39.json").read_text())
    golden = [Case(case_id=name, question=name) for name in given["dataset"]]

    def attempt(broken: list[str], *, dies_at: str | None = None) -> list[str]:
        stop = Stop()

        async def answer(question: Question) -> str:
            if question.case_id == dies_at:
                stop.set()
                await asyncio.sleep(30)
            if question.case_id in broken:
                raise ValueError("errored")
            return "fine"

        system = Counting(answer)
        exists = RunStore.exists(tmp_path)
        opened = RunStore.open(tmp_path, writable=True) if exists else RunStore.create(tmp_path, PLAN, golden, None)
        with opened as store:
            store.begin(at=NOW)
            work = execute(
                pending(golden, repeat=1, finished=store.finished()),
                system=system,
                store=store,
                judge=None,
                concurrency=1,
                clock=FixedClock(),
                secrets=Secrets(),
                progress=Silent(),
                stop=stop,
            )
            try:
                asyncio.run(work)
            except Interrupted:
                store.end("interrupted")
        return system.asked

    first, second = given["attempts"]
    assert attempt(first["errored"]) == given["dataset"]
    assert attempt([], dies_at="s5") == ["s5"]  # it died before it could do anything, beside what attempt 1 had done
    assert second["died_after_copying"] == ["s1"]
    assert attempt([]) == ["s5"]
    with RunStore.open(tmp_path) as store:
        assert [name for name, _ in store.traces()] == given["dataset"]
        assert store.failures() == {}
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE]


PLAN = Plan({}, {}, ".")


def test_the_system_sees_nothing_of_what_is_expected() -> None:
    case = Case.model_validate(
        {"case_id": "c", "question": "q?", "kind": "adversarial", "expected": {"answer": "the reference"}}
    )
    assert "reference" not in repr(question_of(case))
    assert "adversarial" not in repr(question_of(case))


def test_a_failure_is_worded_as_it_is_stored(store: RunStore) -> None:
    def answer(_: Question) -> dict[str, Any]:
        return {"error": {"type": "QuotaExceeded", "message": "no more today", "stage": "generation"}}

    run(store, Counting(answer), count=1)
    assert store.failures() == {"c0": Failed("generation", "QuotaExceeded", "no more today")}
