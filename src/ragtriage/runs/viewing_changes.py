"""What changed in the index, against the moment in which a question was asked: which changes no search showed yet."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

from ragtriage.core.index_views import ServedView
from ragtriage.core.score import Undefined
from ragtriage.data.index_changes import MARKER, IndexChange
from ragtriage.decisions.facts import LateChange

__all__ = ["ChangeLog", "Windows"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NEVER = float("inf")


class Windows:
    """Spans of time as one question asks of them: does any hold a moment? A span holds its begin and not its end."""

    def __init__(self, spans: Iterable[tuple[float, float]]) -> None:
        merged: list[list[float]] = []
        for begin, end in sorted(span for span in spans if span[0] < span[1]):
            if merged and begin <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([begin, end])
        self._merged = merged

    def hold(self, moment: float) -> bool:
        """Say whether a moment lies in any of them.

        >>> [Windows([(4, 6), (5, 8)]).hold(moment) for moment in (3, 4, 7, 8)]
        [False, True, True, False]
        """
        place = bisect.bisect_right(self._merged, moment, key=lambda window: window[0])
        return place > 0 and moment < self._merged[place - 1][1]


@dataclass(frozen=True, slots=True)
class _Wait:
    """A change that was committed at `begin`, in microseconds, and was surely not searchable before `end`.

    From `end` to `until`, when a later search showed the document in a later state, nothing tells.
    """

    change: IndexChange
    begin: float
    end: float
    until: float


class ChangeLog:
    """The changes of an index by document; those that the system refused changed nothing and stay out."""

    def __init__(self, changes: Iterable[IndexChange]) -> None:
        self._by_document: dict[str, list[IndexChange]] = {}
        for change in changes:
            if change.committed_at is not None:
                self._by_document.setdefault(change.doc_id, []).append(change)

    def served(self, asked_at: datetime | None) -> ServedView | Undefined:
        """Say whether the index lagged when a question was asked.

        A change that no search showed within its deadline lags up to there. What it does from then on until a later
        change of the same document shows, nothing tells. Nor do marker documents of another time: they are no log of
        what changed then.
        """
        if asked_at is None:
            return Undefined("the trace does not say when it was asked")
        if asked_at.tzinfo is None:
            return Undefined("the trace does not say in which time zone it was asked")
        moment = _microseconds(asked_at)
        if not self._by_document:
            return ServedView(None)
        if self._lagging.hold(moment):
            return ServedView(lagging=True)
        if self._unknown.hold(moment):
            return Undefined("a change was not seen within its deadline, and nothing tells whether it was by then")
        if self._markers is not None and not self._markers[0] <= moment < self._markers[1]:
            return Undefined("the changes are those of marker documents, and the question was asked at another time")
        return ServedView(lagging=False)

    def late(
        self, documents: Sequence[str], asked_at: datetime | None, *, updates: bool, missing: bool
    ) -> LateChange | None:
        """Return the written change that was searchable first, where every one of the documents still waited for its.

        A document of which an earlier version could be found waits only where `updates` count. `missing`: the index
        is known to lack the documents, so that one which was not seen within its deadline waits still.
        """
        if asked_at is None or asked_at.tzinfo is None:
            return None
        moment = _microseconds(asked_at)
        found = []
        for document in documents:
            last = self._last(document, moment)
            if last is None or last.change.kind == "deleted" or moment >= (last.until if missing else last.end):
                return None
            if not updates and self._shown(document, moment) == "written":
                return None
            found.append(last)
        return _told(min(found, key=lambda wait: wait.end)) if found else None

    def still_served(self, documents: Iterable[str], asked_at: datetime | None) -> tuple[LateChange, ...]:
        """Return the deletions of documents that were found although they had been deleted, and not written again."""
        if asked_at is None or asked_at.tzinfo is None:
            return ()
        moment = _microseconds(asked_at)
        found = []
        for document in documents:
            last = self._last(document, moment)
            if last is not None and last.change.kind == "deleted" and moment < last.until:
                found.append(_told(last))
        return tuple(found)

    def _last(self, document: str, moment: float) -> _Wait | None:
        """Return the last change of a document that was committed by then."""
        return next((wait for wait in reversed(self._waits(document)) if wait.begin <= moment), None)

    def _shown(self, document: str, moment: float) -> str | None:
        """Return what the last change was that searches showed by then; None where the log tells of none."""
        shown = [wait for wait in self._waits(document) if wait.change.searchable_at is not None and wait.end <= moment]
        return max(shown, key=lambda wait: wait.begin).change.kind if shown else None

    def _waits(self, document: str) -> list[_Wait]:
        """Return the changes of a document in the order of their commits."""
        waits: list[_Wait] = []
        shown = _NEVER  # when the first of the later changes was seen
        ordered = sorted(self._by_document.get(document, ()), key=_committed)
        for change in reversed(ordered):  # of changes at one time the last line is the later
            begin = _committed(change)
            if change.searchable_at is not None:
                end = until = float(_microseconds(change.searchable_at))
            else:
                end, until = min(begin + 1000 * change.deadline_ms, shown), shown
            waits.append(_Wait(change, begin, end, until))
            shown = min(shown, end if change.searchable_at is not None else _NEVER)
        return waits[::-1]

    def _all(self) -> Iterator[_Wait]:
        for document in self._by_document:
            yield from self._waits(document)

    @cached_property
    def _markers(self) -> tuple[float, float] | None:
        """When marker documents were watched; None where there are other changes."""
        if not all(name.startswith(MARKER) for name in self._by_document):
            return None
        return min(wait.begin for wait in self._all()), max(wait.end for wait in self._all())

    @cached_property
    def _lagging(self) -> Windows:
        return Windows((wait.begin, wait.end) for wait in self._all())

    @cached_property
    def _unknown(self) -> Windows:
        return Windows((wait.end, wait.until) for wait in self._all())


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def _committed(change: IndexChange) -> float:
    return float("-inf") if change.committed_at is None else float(_microseconds(change.committed_at))


def _told(wait: _Wait) -> LateChange:
    change = wait.change
    seen = None if change.searchable_at is None else _written(change.searchable_at)
    committed = "" if change.committed_at is None else _written(change.committed_at)
    return LateChange(change.doc_id, change.kind, committed, seen, change.lag_ms, change.deadline_ms)


def _written(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
