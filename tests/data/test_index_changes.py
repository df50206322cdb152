"""Changes of an index as a log tells them: what is read, in which order, and every fault at its line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.data.index_changes import Refusal, read_changes

SEEN = {
    "doc_id": "fees",
    "kind": "written",
    "committed_at": "2026-05-04T12:00:00+02:00",
    "searchable_at": "2026-05-04T10:00:00.25Z",
    "deadline_ms": 60_000,
}
REFUSED = {**SEEN, "committed_at": None, "searchable_at": None, "failure": {"error": "HTTP503", "message": "busy"}}


def written(folder: Path, *lines: dict[str, Any] | str) -> Path:
    path = folder / "changes.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def faults(path: Path) -> list[str]:
    with pytest.raises(BadInput) as told:
        read_changes(path)
    return [str(fault).removeprefix(f"{path}:") for fault in told.value.faults]


def test_times_of_any_zone_are_one_and_the_lag_is_their_distance(tmp_path: Path) -> None:
    (change,) = read_changes(written(tmp_path, SEEN))
    assert change.committed_at == datetime(2026, 5, 4, 10, tzinfo=UTC)
    assert change.lag_ms == 250.0


def test_a_change_that_was_not_seen_or_was_refused_has_no_lag(tmp_path: Path) -> None:
    unseen, refused = read_changes(written(tmp_path, REFUSED, {**SEEN, "searchable_at": None}))
    assert (unseen.lag_ms, unseen.failure) == (None, None)
    assert (refused.lag_ms, refused.failure) == (None, Refusal(error="HTTP503", message="busy"))


def test_changes_come_by_the_time_of_their_commit_whatever_their_order_in_the_file(tmp_path: Path) -> None:
    early = {**SEEN, "doc_id": "early", "committed_at": "2026-05-04T09:00:00Z", "deadline_ms": 1e9}
    found = read_changes(written(tmp_path, {**REFUSED, "doc_id": "no"}, SEEN, early))
    assert [change.doc_id for change in found] == ["early", "fees", "no"]


def test_what_is_written_down_is_read_again(tmp_path: Path) -> None:
    found = read_changes(written(tmp_path, SEEN, {**SEEN, "kind": "deleted", "searchable_at": None}, REFUSED))
    path = tmp_path / "again.jsonl"
    path.write_text("".join(f"{change.model_dump_json()}\n" for change in found))
    assert read_changes(path) == found


def test_a_file_without_changes_is_none_of_them(tmp_path: Path) -> None:
    assert read_changes(written(tmp_path, "", "  ")) == ()


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"committed_at": "2026-05-04T12:00:00"}, "'committed_at' should have timezone info"),
        ({"committed_at": "yesterday"}, "'committed_at' should be a valid datetime"),
        ({"committed_at": 1_767_261_600}, "'committed_at' should be a valid datetime"),
        ({"committed_at": "1767261600"}, "'committed_at' must be a time such as 2026-05-04T10:00:00Z"),
        ({"searchable_at": "1767261600000.5"}, "'searchable_at' must be a time such as 2026-05-04T10:00:00Z"),
        ({"committed_at": "0001-01-01T00:00:00+05:00"}, "'committed_at' lies beyond the calendar in UTC"),
        ({"committed_at": None}, "'committed_at' must be a time where there is no 'failure'"),
        ({"searchable_at": "2026-05-04T09:59:59Z"}, "'searchable_at' lies before 'committed_at'"),
        ({"deadline_ms": 249}, "lies 250 ms after 'committed_at', and 'deadline_ms' is 249"),
        ({"deadline_ms": 0}, "'deadline_ms' should be greater than 0"),
        ({"deadline_ms": "60000"}, "'deadline_ms' should be a valid number"),
        ({"kind": "updated"}, "'kind' should be 'written' or 'deleted'"),
        ({"doc_id": " fees"}, "'doc_id' must not be empty nor start or end with white space"),
        ({"failure": {"error": "HTTP503"}}, "a refused change has no times"),
        ({"failure": {"error": ""}}, "'failure.error' String should have at least 1 character"),
        ({"lag_ms": 250}, "'lag_ms' is no known field."),
    ],
)
def test_each_fault_is_told_at_its_line(tmp_path: Path, changed: dict[str, Any], told: str) -> None:
    other = {**SEEN, "doc_id": "rates"}
    (fault,) = faults(written(tmp_path, other, "", {**SEEN, **changed}))
    assert fault.startswith("3: ")
    assert told in fault


@pytest.mark.parametrize("key", ["doc_id", "kind", "committed_at", "searchable_at", "deadline_ms"])
def test_a_key_that_is_not_there_is_a_fault_and_no_null(tmp_path: Path, key: str) -> None:
    line = {name: value for name, value in SEEN.items() if name != key}
    assert faults(written(tmp_path, line)) == [f"1: {key!r} is missing"]


def test_the_same_change_twice_is_a_fault_and_told_together_with_all_others(tmp_path: Path) -> None:
    later = {**SEEN, "committed_at": "2026-05-04T10:00:00.1Z"}
    path = written(tmp_path, SEEN, "{broken", "", {**SEEN, "kind": "new"}, {**SEEN, "kind": "deleted"}, later, SEEN)
    found = faults(path)
    assert [fault.partition(":")[0] for fault in found] == ["2", "4", "7"]
    assert found[2] == "7: the change stands in line 1 already"


def test_a_change_may_be_refused_as_often_as_it_was_tried(tmp_path: Path) -> None:
    assert len(read_changes(written(tmp_path, REFUSED, REFUSED))) == 2
