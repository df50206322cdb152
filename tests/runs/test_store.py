"""The database of a run: durable case by case, checked whole when it is opened, never guessed at."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragtriage.core.errors import StorageFailed
from ragtriage.core.records import Case, Chunk, Document, Trace, TraceError
from ragtriage.core.score import Failed
from ragtriage.core.verdicts import Verdicts
from ragtriage.runs.plan import Plan
from ragtriage.runs.store import FILE, JUDGE, Finished, RunStore

PLAN = Plan({"seed": "1", "corpus": "c"}, {"golden": {"path": "g"}}, base="/project")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
BROKEN = Failed("system", "ValueError", "no")


def cases(*names: str) -> list[Case]:
    return [Case(case_id=name, question=f"question {name}") for name in names]


def finished(name: str, *, failed: Failed | None = None, text: str = "", repeat: int = 0) -> Finished:
    error = None if failed is None or failed.stage == JUDGE else TraceError(type=failed.error, message=failed.message)
    trace = Trace(trace_id=f"t-{name}", case_id=name, question=f"question {name} {text}", error=error)
    verdicts = Verdicts(case_id=name, judge="lexical", rubric="r1").model_dump_json()
    return Finished(name, repeat, trace.model_dump_json(), None if failed else verdicts, failed)


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    made = RunStore.create(tmp_path, PLAN, cases("a", "b", "c"), None)
    made.begin(at=NOW)
    return made


def test_what_was_added_is_read_back_in_golden_order_whatever_order_it_came_in(tmp_path: Path, store: RunStore) -> None:
    for name in ("c", "a", "b"):
        store.add([finished(name)])
    store.close()
    with RunStore.open(tmp_path) as again:
        assert [name for name, _ in again.traces()] == ["a", "b", "c"]
        assert [name for name, _ in again.verdicts()] == ["a", "b", "c"]
        assert [case.case_id for case in again.cases()] == ["a", "b", "c"]
        assert again.plan == PLAN


def test_what_was_committed_is_there_for_another_connection_before_the_store_is_closed(
    tmp_path: Path, store: RunStore
) -> None:
    store.add([finished("a")])
    with RunStore.open(tmp_path) as other:
        assert other.finished() == {("a", 0)}
        assert other.status == "running"


def test_a_failed_question_is_asked_again_and_the_latest_attempt_stands(tmp_path: Path, store: RunStore) -> None:
    store.add([finished("a"), finished("b", failed=BROKEN)])
    assert store.finished() == {("a", 0)}
    assert store.failures() == {"b": BROKEN}
    store.close()
    with RunStore.open(tmp_path, writable=True) as second:
        assert second.begin(at=NOW) == 2
        second.add([finished("b", text="again")])
        assert second.finished() == {("a", 0), ("b", 0)}
        assert second.failures() == {}
        assert dict(second.traces())["b"].question == "question b again"


def test_an_answer_whose_judge_broke_is_not_asked_again(store: RunStore) -> None:
    store.add([finished("a", failed=Failed(JUDGE, "ValueError", "no"))])
    assert store.finished() == {("a", 0)}
    assert store.failures() == {"a": Failed(JUDGE, "ValueError", "no")}


def test_a_transaction_that_fails_leaves_nothing_of_itself(store: RunStore) -> None:
    with pytest.raises(StorageFailed):
        store.add([finished("a"), Finished("b", 0, None)])  # type: ignore[arg-type]
    assert store.asked() == frozenset()


def test_repeats_of_one_question_are_kept_apart(store: RunStore) -> None:
    store.add([finished("a"), finished("a", repeat=1, text="second")])
    assert dict(store.traces(repeat=1))["a"].question == "question a second"
    assert store.finished() == {("a", 0), ("a", 1)}


def test_chunks_and_documents_come_back(tmp_path: Path) -> None:
    chunk = Chunk(chunk_id="d#0", doc_id="d", start=0, end=2, text="hi")
    with RunStore.create(tmp_path, PLAN, cases("a"), [chunk]) as store:
        store.begin(at=NOW)
        store.add_documents([Document(doc_id="d", text="hi there")])
        store.end("complete")
    with RunStore.open(tmp_path) as again:
        assert again.chunks() == (chunk,)
        assert again.documents() == {"d": Document(doc_id="d", text="hi there")}
        assert again.status == "complete"


def test_no_chunks_and_an_empty_list_of_chunks_are_told_apart(tmp_path: Path, store: RunStore) -> None:
    assert store.chunks() is None
    with RunStore.create(tmp_path / "other", PLAN, cases("a"), []) as other:
        assert other.chunks() == ()


def test_a_finished_file_can_be_read_where_nothing_can_be_written(tmp_path: Path, store: RunStore) -> None:
    store.add([finished("a")])
    store.close()
    before = sorted(path.name for path in tmp_path.iterdir())
    with RunStore.open(tmp_path) as again:
        assert again.finished() == {("a", 0)}
    assert sorted(path.name for path in tmp_path.iterdir()) == before == [FILE]


def test_a_new_run_in_the_same_folder_never_meets_the_log_of_the_old_one(tmp_path: Path, store: RunStore) -> None:
    store.add([finished("a")])  # its write-ahead log is still there: the process was killed, say
    assert (tmp_path / f"{FILE}-wal").exists()
    with RunStore.create(tmp_path, PLAN, cases("x"), None) as new:
        assert [case.case_id for case in new.cases()] == ["x"]
        assert new.finished() == frozenset()


def test_the_file_carries_no_name_before_it_holds_the_plan(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageFailed, match="File exists"):
        RunStore.create(tmp_path / "file", PLAN, cases("a"), None)
    assert not RunStore.exists(tmp_path)


def _changed(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE cases SET trace = replace(trace, 'question a', 'question x')", "'cases'"),
        ("UPDATE cases SET case_id = 'b'", "'cases'"),
        ("UPDATE golden SET body = replace(body, 'question a', 'question x')", "'golden'"),
        ("UPDATE verdicts SET body = replace(body, 'lexical', 'another')", "'verdicts'"),
        ('UPDATE meta SET body = replace(body, \'"seed": "1"\', \'"seed": "2"\')', "'meta'"),
        ("UPDATE cases SET trace = CAST(x'ff00fe' AS TEXT)", "run.sqlite"),
        ("PRAGMA application_id = 7", "header"),
        ("DELETE FROM meta WHERE name = 'plan'", "plan is missing"),
        ("DROP TABLE failures", "failures"),
    ],
)
def test_content_that_does_not_match_its_hash_is_refused_and_left_as_it_is(
    tmp_path: Path, store: RunStore, statement: str, named: str
) -> None:
    store.add([finished("a")])
    store.close()
    _changed(tmp_path / FILE, statement)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(StorageFailed, match=named):
        RunStore.open(tmp_path, writable=True)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_file_of_a_later_version_says_so(tmp_path: Path, store: RunStore) -> None:
    store.close()
    _changed(tmp_path / FILE, "PRAGMA user_version = 99")
    with pytest.raises(StorageFailed, match="version 99"):
        RunStore.open(tmp_path)


def test_the_plan_in_the_file_is_plain_json(tmp_path: Path, store: RunStore) -> None:
    store.close()
    connection = sqlite3.connect(tmp_path / FILE)
    (body,) = connection.execute("SELECT body FROM meta WHERE name = 'plan'").fetchone()
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    connection.close()
    assert json.loads(body)["bundle"] == {"seed": "1", "corpus": "c"}
    assert mode == "wal"
