"""Markers written to, found in, deleted from and missed in indexes that lag, refuse, flap and hang."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from ragtriage.core.clock import FixedClock
from ragtriage.core.errors import BadInput, SystemUnavailable
from ragtriage.core.index_views import ChangeView
from ragtriage.core.records import Document
from ragtriage.core.score import Failed
from ragtriage.data.index_changes import Refusal
from ragtriage.runs.asking import AskFailed
from ragtriage.runs.freshness import Change, Polling, fresh_tokens, measure_changes, recorded_change
from ragtriage.runs.maintenance import PythonMaintenance, Returned


@dataclass
class LaggingIndex:
    """An index that shows writes and deletions some milliseconds of a fixed clock later; a search takes `search_ms`."""

    clock: FixedClock
    write_lag_ms: float = 0.0
    delete_lag_ms: float = 0.0
    search_ms: float = 0.0
    shows: dict[str, tuple[float, float]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    deletions: list[str] = field(default_factory=list)
    refuses: str = ""
    refuses_with: str = "HTTP500"
    lacks: str = ""
    fails_first: int = 0
    searches: int = 0
    first_write: asyncio.Event = field(default_factory=asyncio.Event)

    async def write(self, document: Document) -> None:
        self.first_write.set()
        if self.refuses == "write":
            raise AskFailed(self.refuses_with, "the disk is full")
        self.texts[document.doc_id] = document.text
        self.shows[document.doc_id] = (self.clock.elapsed_ms + self.write_lag_ms, float("inf"))

    async def delete(self, doc_id: str) -> None:
        self.deletions.append(doc_id)
        if self.refuses == "delete":
            raise PermissionError("deleting is forbidden")
        if self.lacks and doc_id not in self.shows:
            raise AskFailed(self.lacks, "there is no such document")
        begins, _ = self.shows.get(doc_id, (0.0, 0.0))
        self.shows[doc_id] = (begins, self.clock.elapsed_ms + self.delete_lag_ms)

    async def search(self, question: str) -> Returned:
        assert question
        now = self.clock.elapsed_ms
        self.clock.elapsed_ms += self.search_ms
        self.searches += 1
        if 1 < self.searches <= 1 + self.fails_first:
            raise AskFailed("HTTP503", "busy")
        return Returned(ids=tuple(name for name, (begin, end) in self.shows.items() if begin <= now < end))

    async def close(self) -> None:
        """Nothing is open."""


def measured(index: Any, *, markers: int = 1, **settings: Any) -> tuple[Change, ...]:
    async def sleep(seconds: float) -> None:
        index.clock.elapsed_ms += 1000 * seconds

    polling = Polling(**{"deadline_s": 2.0, "pause_s": 0.1, **settings})
    return asyncio.run(measure_changes(index, markers=markers, polling=polling, clock=index.clock, sleep=sleep))


def lag(change: Change) -> float | None:
    assert isinstance(change.outcome, ChangeView)
    return change.outcome.lag_ms


def test_the_lag_runs_from_the_commit_to_the_start_of_the_first_search_that_shows_it() -> None:
    index = LaggingIndex(FixedClock(), write_lag_ms=250.0, delete_lag_ms=120.0, search_ms=5.0)
    written, deleted = measured(index)
    # searches begin 0, 105, 210 and 315 ms after the commit; the document shows from 250 ms on
    assert lag(written) == pytest.approx(315.0)
    assert written.not_before_ms == pytest.approx(210.0)
    assert written.searches == 4
    assert lag(deleted) == pytest.approx(210.0)
    assert deleted.not_before_ms == pytest.approx(105.0)
    assert (written.kind, deleted.kind) == ("written", "deleted")
    assert len(index.deletions) == 1


def test_an_index_without_lag_has_a_lag_of_nothing() -> None:
    changes = measured(LaggingIndex(FixedClock()), markers=3)
    assert [lag(change) for change in changes] == [0.0] * 6
    assert len({change.doc_id for change in changes}) == 3


def test_what_is_never_found_has_no_number_is_counted_and_cleaned_up() -> None:
    index = LaggingIndex(FixedClock(), write_lag_ms=1e9)
    (written,) = measured(index)
    assert written.outcome == ChangeView("written", None, deadline_ms=2000.0)
    assert written.seen_ms is None
    assert written.searches == 21  # at 0, 100, ..., 2000 ms
    assert index.deletions == [written.doc_id]


def test_what_is_never_forgotten_has_no_number() -> None:
    index = LaggingIndex(FixedClock(), delete_lag_ms=1e9)
    _, deleted = measured(index)
    assert deleted.outcome == ChangeView("deleted", None, deadline_ms=2000.0)


def test_a_refused_write_is_a_failure_and_still_cleaned_up() -> None:
    index = LaggingIndex(FixedClock(), refuses="write")
    (written,) = measured(index)
    assert written.outcome == Failed("write", "HTTP500", "the disk is full")
    assert index.deletions == [written.doc_id]
    assert not written.left_behind


def test_a_marker_that_cannot_be_deleted_is_said_to_be_left_behind() -> None:
    index = LaggingIndex(FixedClock(), refuses="delete")
    written, deleted = measured(index)
    assert lag(written) == 0.0
    assert deleted.outcome == Failed("delete", "PermissionError", "deleting is forbidden")
    assert deleted.left_behind
    assert deleted.last_error == "deleting is forbidden"
    assert len(index.deletions) == 2  # once measured, once more to clean up


def test_after_a_marker_that_is_left_behind_no_other_is_written() -> None:
    index = LaggingIndex(FixedClock(), refuses="delete")
    changes = measured(index, markers=5)
    assert len(index.texts) == 1
    assert [change.left_behind for change in changes] == [False, True]


@pytest.mark.parametrize(
    ("refused", "lacks", "left"),
    [
        ("HTTP422", "HTTP404", False),
        ("HTTP422", "HTTP410", False),
        ("HTTP422", "HTTP401", True),
        ("HTTP500", "HTTP404", True),  # it may have the document all the same, and show it later
        ("TimeoutError", "HTTP404", True),
    ],
)
def test_a_marker_that_was_plainly_refused_and_is_not_there_is_not_left_behind(
    refused: str,
    lacks: str,
    left: bool,  # noqa: FBT001 - a column of the table above
) -> None:
    index = LaggingIndex(FixedClock(), refuses="write", refuses_with=refused, lacks=lacks)
    changes = measured(index, markers=3)
    assert [change.left_behind for change in changes] == ([True] if left else [False] * 3)


def test_each_change_is_heard_of_as_it_comes() -> None:
    heard: list[Change] = []
    index = LaggingIndex(FixedClock(), write_lag_ms=50.0)
    polling = Polling(deadline_s=2.0, pause_s=0.0)

    async def sleep(_: float) -> None:
        index.clock.elapsed_ms += 10

    found = asyncio.run(
        measure_changes(index, markers=2, polling=polling, clock=index.clock, sleep=sleep, heard=heard.append)
    )
    assert tuple(heard) == found


def test_a_change_is_written_down_with_the_lag_of_the_monotonic_clock_on_top_of_the_wall_clock() -> None:
    index = LaggingIndex(FixedClock(), write_lag_ms=250.0, search_ms=5.0)
    written, deleted = map(recorded_change, measured(index))
    assert written.committed_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert written.searchable_at == datetime(2026, 1, 1, 0, 0, 0, 315_000, tzinfo=UTC)  # the wall clock stood still
    assert (written.lag_ms, written.deadline_ms, written.failure) == (315.0, 2000.0, None)
    assert (deleted.kind, deleted.lag_ms) == ("deleted", 0.0)
    (unseen,) = map(recorded_change, measured(LaggingIndex(FixedClock(), write_lag_ms=1e9)))
    assert (unseen.searchable_at, unseen.lag_ms) == (None, None)
    (refused,) = map(recorded_change, measured(LaggingIndex(FixedClock(), refuses="write")))
    assert (refused.committed_at, refused.failure) == (None, Refusal(error="HTTP500", message="the disk is full"))


def test_an_interruption_that_leaves_a_marker_says_so() -> None:
    index = LaggingIndex(FixedClock(), write_lag_ms=1e9, refuses="delete")

    async def interrupted() -> None:
        work = asyncio.create_task(measure_changes(index, clock=index.clock, polling=Polling(pause_s=0.01)))
        await index.first_write.wait()
        work.cancel()
        with pytest.raises(SystemUnavailable, match="may be left in the index: deleting is forbidden"):
            await work

    asyncio.run(interrupted())


def test_a_search_that_fails_shows_nothing_and_hides_nothing() -> None:
    index = LaggingIndex(FixedClock(), fails_first=3)
    written, deleted = measured(index)
    assert lag(written) == pytest.approx(300.0)
    assert (written.failed_searches, written.last_error) == (3, "HTTP503: busy")
    index = LaggingIndex(FixedClock(), fails_first=10_000)
    (written,) = measured(index)
    assert lag(written) is None
    assert deleted.failed_searches == 0


def test_several_searches_have_to_agree_where_replicas_disagree() -> None:
    answers = itertools.cycle([True, False, True, True, True])

    class Flapping(LaggingIndex):
        async def search(self, question: str) -> Returned:
            found = await super().search(question)
            return found if not found.ids or next(answers) else Returned()

    (written, *_) = measured(Flapping(FixedClock()), agreeing=3)
    assert lag(written) == pytest.approx(200.0)  # seen at 0, missed at 100, seen at 200, 300 and 400 ms


def test_a_search_that_repeats_its_question_as_a_result_is_refused() -> None:
    async def echo(question: str) -> Returned:
        return Returned(texts=(question,))

    index = LaggingIndex(FixedClock())
    index.search = echo  # type: ignore[method-assign]
    with pytest.raises(BadInput, match="before it is written"):
        measured(index)
    assert index.deletions == []


def test_an_index_that_is_not_there_ends_the_measurement() -> None:
    async def nothing(question: str) -> Returned:
        raise AskFailed("ConnectionError", f"refused {question[:0]}", unreachable=True)

    index = LaggingIndex(FixedClock())
    index.search = nothing  # type: ignore[method-assign]
    with pytest.raises(SystemUnavailable, match="not reached"):
        measured(index)


def test_an_interruption_leaves_no_marker_behind() -> None:
    index = LaggingIndex(FixedClock(), write_lag_ms=1e9)

    async def interrupted() -> None:
        work = asyncio.create_task(measure_changes(index, clock=index.clock, polling=Polling(pause_s=0.01)))
        await index.first_write.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(interrupted())
    assert index.deletions == list(index.texts)


def test_bad_settings_and_markers_without_their_token_are_refused() -> None:
    index = LaggingIndex(FixedClock())
    for settings in ({"deadline_s": 0.0}, {"pause_s": -1.0}, {"agreeing": 0}):
        with pytest.raises(BadInput, match="deadline_s must be above 0"):
            Polling(**settings)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="markers must be 1 or more"):
        asyncio.run(measure_changes(index, markers=0))
    with pytest.raises(BadInput, match="does not hold its token"):
        asyncio.run(measure_changes(index, document=lambda _: Document(doc_id="d", text="t"), clock=index.clock))
    assert index.texts == {}


def test_no_token_comes_twice() -> None:
    tokens: Iterator[str] = fresh_tokens()
    assert len({next(tokens) for _ in range(100)}) == 100


@pytest.mark.parametrize("form", ["ids", "trace", "question"])
def test_plain_functions_are_an_index(form: str) -> None:
    held: dict[str, str] = {}

    def search(question: Any) -> Any:
        words = set((question.text if form == "question" else question).split())
        found = [name for name, text in held.items() if words & set(text.split())]
        if form == "ids":
            return found
        return {"answer": "-", "context": [{"id": f"{name}#0", "text": held[name]} for name in found]}

    def write(document: Document) -> None:
        held[document.doc_id] = document.text

    port = PythonMaintenance(write=write, delete=held.pop, search=search, takes_question=form == "question")

    async def run() -> tuple[Change, ...]:
        try:
            return await measure_changes(port, markers=2)
        finally:
            await port.close()

    changes = asyncio.run(run())
    assert [change.kind for change in changes] == ["written", "deleted"] * 2
    assert all(lag(change) is not None for change in changes)
    assert held == {}


def test_coroutines_are_an_index_and_a_call_that_hangs_is_left_behind() -> None:
    async def write(document: Document) -> None:
        assert document

    async def delete(doc_id: str) -> None:
        assert doc_id

    async def search(question: str) -> list[str]:
        assert question
        await asyncio.sleep(60)
        return []

    port = PythonMaintenance(write=write, delete=delete, search=search, timeout_s=0.05)

    async def run() -> tuple[Change, ...]:
        try:
            return await measure_changes(port, markers=1, polling=Polling(deadline_s=0.2))
        finally:
            await port.close()

    (written,) = asyncio.run(run())
    assert lag(written) is None
    assert written.failed_searches == written.searches > 0
    assert written.last_error == "TimeoutError: no answer within 0.05 s"


@pytest.mark.parametrize(("reply", "said"), [(["a", 3], "holds ids or Hits"), ({"answer": "x"}, "neither rankings")])
def test_a_search_that_tells_of_no_results_is_refused(reply: Any, said: str) -> None:
    port = PythonMaintenance(write=lambda _: None, delete=lambda _: None, search=lambda _: reply)

    async def run() -> None:
        try:
            await measure_changes(port, markers=1)
        finally:
            await port.close()

    with pytest.raises(BadInput, match=f"the search cannot be read: .*{said}"):
        asyncio.run(run())
