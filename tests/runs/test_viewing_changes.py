"""The log of an index against the moment of a question: what lagged, what could not be found, what was served on."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.core.index_views import ServedView
from ragtriage.core.score import Undefined
from ragtriage.data.index_changes import IndexChange, Refusal
from ragtriage.runs.viewing_changes import ChangeLog, Windows

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def change(
    name: str,
    committed: float,
    seen: float | None,
    *,
    kind: Literal["written", "deleted"] = "written",
    deadline: float = 1000,
) -> IndexChange:
    return IndexChange(
        doc_id=name,
        kind=kind,
        committed_at=at(committed),
        searchable_at=None if seen is None else at(seen),
        deadline_ms=1000 * deadline,
    )


def deleted(name: str, committed: float, seen: float | None, **more: Any) -> IndexChange:
    return change(name, committed, seen, kind="deleted", **more)


REFUSED = IndexChange(
    doc_id="no",
    kind="written",
    committed_at=None,
    searchable_at=None,
    deadline_ms=1e9,
    failure=Refusal(error="HTTP503"),
)
WITHOUT_ZONE = NOON.replace(tzinfo=None)


def late(log: Iterable[IndexChange], asked: float, *names: str, updates: bool = False, missing: bool = False) -> Any:
    found = ChangeLog(log).late(names, at(asked), updates=updates, missing=missing)
    return None if found is None else (found.document, found.searchable_at)


SPANS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=6)


@given(spans=SPANS, moment=st.integers(-1, 21))
def test_a_moment_lies_in_windows_as_in_any_of_them(spans: list[tuple[int, int]], moment: int) -> None:
    assert Windows(spans).hold(moment) == any(begin <= moment < end for begin, end in spans)


CHANGES = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 12), st.none() | st.integers(0, 8), st.integers(1, 8)), max_size=5
)


@given(drawn=CHANGES, asked=st.integers(-1, 25))
def test_a_question_is_stale_where_some_change_was_surely_on_its_way(
    drawn: list[tuple[str, int, int | None, int]], asked: int
) -> None:
    """Worked out second by second: a change that was never seen is over when a later one of its document is."""
    log = [change(name, begin, None if lag is None else begin + lag, deadline=max(lag or 0, most))
           for name, begin, lag, most in drawn]  # fmt: skip
    sure = unknown = False
    for place, (name, begin, lag, most) in enumerate(drawn):
        later = [
            start + took
            for other, (document, start, took, _) in enumerate(drawn)
            if document == name and took is not None and (start, other) > (begin, place)
        ]
        if lag is not None:
            sure |= begin <= asked < begin + lag
            continue
        over = any(end <= asked for end in later)
        sure |= begin <= asked < begin + most and not over
        unknown |= asked >= begin + most and not over
    found = ChangeLog(log).served(at(asked))
    if not drawn:
        assert found == ServedView(None)
    elif sure:
        assert found == ServedView(lagging=True)
    elif unknown:
        assert isinstance(found, Undefined)
        assert "not seen within its deadline" in found.reason
    else:
        assert found == ServedView(lagging=False)


def test_the_window_begins_with_the_commit_and_ends_before_the_search_that_showed_it() -> None:
    log = ChangeLog([change("a", 0, 60)])
    moments = (-0.000001, 0, 59.999999, 60)
    assert [log.served(at(moment)) for moment in moments] == [ServedView(x) for x in (False, True, True, False)]


def test_without_a_time_a_zone_or_a_change_nothing_tells() -> None:
    log = ChangeLog([change("a", 0, 60)])
    assert log.served(None) == Undefined("the trace does not say when it was asked")
    assert log.served(WITHOUT_ZONE) == Undefined("the trace does not say in which time zone it was asked")
    assert ChangeLog([]).served(NOON) == ServedView(None)
    assert ChangeLog([REFUSED]).served(NOON) == ServedView(None)
    for asked_at in (None, WITHOUT_ZONE):
        assert log.late(["a"], asked_at, updates=False, missing=False) is None
        assert log.still_served(["a"], asked_at) == ()


def test_markers_tell_nothing_of_questions_at_another_time() -> None:
    markers = [change("ragtriage-marker-a", 0, 10), change("ragtriage-marker-b", 20, 30)]
    log = ChangeLog(markers)
    assert [log.served(at(second)) for second in (5, 15, 25)] == [
        ServedView(lagging) for lagging in (True, False, True)
    ]
    for second in (-1, 30, 3600):
        assert isinstance(log.served(at(second)), Undefined)
    assert ChangeLog([*markers, change("fees", 0, 1)]).served(at(3600)) == ServedView(lagging=False)


def test_a_new_document_is_late_from_its_commit_until_a_search_shows_it() -> None:
    log = [change("a", 0, 60)]
    assert [late(log, asked, "a") is not None for asked in (-1, 0, 59, 60, 61)] == [False, True, True, False, False]
    assert late(log, 30, "b") is None
    found = ChangeLog(log).late(["a"], at(30), updates=False, missing=False)
    assert found is not None
    assert (found.committed_at, found.searchable_at) == ("2026-05-04T12:00:00Z", "2026-05-04T12:01:00Z")
    assert (found.lag_ms, found.deadline_ms) == (60_000.0, 1_000_000.0)


def test_evidence_is_late_only_where_each_document_that_holds_it_is() -> None:
    log = [change("a", 0, 60), change("b", 10, 40)]
    assert late(log, 30, "a", "b") == ("b", "2026-05-04T12:00:40Z")  # the first that could have been found
    assert late(log, 50, "a", "b") is None
    assert late(log, 30, "a", "c") is None
    assert late(log, 30) is None


def test_a_document_that_was_not_seen_in_time_is_late_for_sure_only_up_to_the_deadline() -> None:
    log = [change("a", 0, None, deadline=60)]
    assert late(log, 30, "a") == ("a", None)
    assert late(log, 90, "a") is None
    assert late(log, 90, "a", missing=True) == ("a", None)  # the list of chunks says that it is not there


def test_an_update_is_late_only_for_a_case_that_asks_for_the_new_text() -> None:
    log = [change("a", 0, 5), change("a", 100, 160)]
    assert late(log, 130, "a") is None  # the text of the first write could be found all the time
    assert late(log, 130, "a", updates=True) == ("a", "2026-05-04T12:02:40Z")
    again = [change("a", 0, 5), deleted("a", 50, 55), change("a", 100, 160)]
    assert late(again, 130, "a") == ("a", "2026-05-04T12:02:40Z")  # nothing of it was there


def test_a_document_that_was_deleted_or_written_anew_meanwhile_is_not_late() -> None:
    assert late([change("a", 0, 60), deleted("a", 10, 20)], 30, "a") is None
    assert late([change("a", 0, 60), change("a", 10, 20)], 30, "a") is None


@pytest.mark.parametrize(
    ("log", "served"),
    [
        ([deleted("a", 0, 60)], True),
        ([deleted("a", 0, 20)], False),
        ([deleted("a", 0, None, deadline=5)], True),  # that it came back says that it was still there
        ([deleted("a", 0, 60), change("a", 10, 20)], False),  # written again
        ([deleted("a", 0, 60), change("a", 10, 90)], False),
        ([change("a", 0, 60)], False),
        ([deleted("a", 40, 60)], False),  # not deleted yet
        ([deleted("b", 0, 60)], False),
    ],
)
def test_a_document_that_came_back_was_served_on_where_its_deletion_was_on_its_way(
    log: list[IndexChange],
    served: bool,  # noqa: FBT001 - a column of the table above
) -> None:
    assert bool(ChangeLog(log).still_served(["a"], at(30))) is served
