"""How long an index takes to show a new document and to forget a deleted one, measured with marker documents.

A marker holds a word that nothing else contains. It is written and searched until it comes, deleted and searched until
it is gone. The lag runs, by the monotonic clock, from the moment in which the system said that it had the change to the
start of the first search that showed it. The searches before it showed nothing, so the true lag lies at most one search
and one pause below. Every marker is deleted at the end, whatever happened. After one that cannot be deleted no other is
written: it would be left behind too.
"""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from ragtriage.core.clock import Clock, SystemClock
from ragtriage.core.errors import BadInput, SystemUnavailable
from ragtriage.core.index_views import ChangeView
from ragtriage.core.records import Document
from ragtriage.core.score import Failed
from ragtriage.data.index_changes import MARKER, IndexChange, Refusal
from ragtriage.runs.asking import AskFailed
from ragtriage.runs.maintenance import IndexMaintenance

__all__ = ["Change", "Polling", "fresh_tokens", "measure_changes", "recorded_change"]

_NO, _GONE = "HTTP4", {"HTTP404", "HTTP410"}
_LETTERS = str.maketrans("0123456789", "ghijklmnop")


@dataclass(frozen=True, slots=True)
class Polling:
    """How markers are watched: `deadline_s` for each change, `pause_s` between searches.

    `agreeing` searches in a row must show a change, for an index with replicas; the first of them counts.
    """

    deadline_s: float = 60.0
    pause_s: float = 0.05
    agreeing: int = 1

    def __post_init__(self) -> None:
        if self.deadline_s <= 0 or self.pause_s < 0 or self.agreeing < 1:
            raise BadInput(
                f"deadline_s must be above 0, pause_s 0 or more, agreeing 1 or more. "
                f"Got {self.deadline_s}, {self.pause_s}, {self.agreeing} instead"
            )


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one marker that was written or deleted, watched for `deadline_ms`.

    `outcome`: its lag; a lag of None was not seen within the deadline; Failed where the system refused the change.
    `not_before_ms`: the last search that did not show it began so long after the commit. `committed_ms`, `seen_ms`: the
    monotonic clock then, `committed_at` the wall clock, None where it did not happen. `searches`, and those of them
    that failed with `last_error`. `left_behind`: the marker could not be deleted, for the reason in `last_error`, and
    may still be there.
    """

    doc_id: str
    kind: Literal["written", "deleted"]
    outcome: ChangeView | Failed
    not_before_ms: float = 0.0
    committed_ms: float | None = None
    committed_at: datetime | None = None
    seen_ms: float | None = None
    deadline_ms: float = 0.0
    searches: int = 0
    failed_searches: int = 0
    last_error: str | None = None
    left_behind: bool = False


def recorded_change(change: Change) -> IndexChange:
    """Write a change down; the time at which it was seen is the wall clock at its commit and the lag on top.

    The wall clock may be set anew in between, the lag stays that of the monotonic clock, in whole microseconds.
    """
    outcome = change.outcome
    lag_ms = None if isinstance(outcome, Failed) else outcome.lag_ms
    searchable_at = None
    if change.committed_at is not None and lag_ms is not None:
        searchable_at = change.committed_at + timedelta(microseconds=math.floor(1000 * lag_ms))
    return IndexChange(
        doc_id=change.doc_id,
        kind=change.kind,
        committed_at=change.committed_at,
        searchable_at=searchable_at,
        deadline_ms=change.deadline_ms,
        failure=Refusal(error=outcome.error, message=outcome.message) if isinstance(outcome, Failed) else None,
    )


def fresh_tokens() -> Iterator[str]:
    """Yield words of 24 letters that occur nowhere else, letters alone so that no tokeniser splits them.

    >>> token = next(fresh_tokens())
    >>> len(token), token.isalpha()
    (24, True)
    """
    while True:
        yield uuid.uuid4().hex[:24].translate(_LETTERS)


async def measure_changes(
    port: IndexMaintenance,
    *,
    markers: int = 5,
    polling: Polling | None = None,
    document: Callable[[str], Document] | None = None,
    tokens: Iterator[str] | None = None,
    heard: Callable[[Change], None] | None = None,
    clock: Clock | None = None,
    sleep: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep,
) -> tuple[Change, ...]:
    """Write, find, delete and miss markers one after another; returns two changes for each that was written and seen.

    `document` makes a marker from its token, by default one short text; the token must stand in its id or text. A
    marker that was refused or not seen has no deletion to measure, and is cleaned up; where that fails, its change
    says so and is the last. `heard` is told each change when it is over. Raises SystemUnavailable where the system is
    not reached, and where an interruption leaves a marker that cannot be deleted; BadInput where a search cannot be
    read or shows a marker before it is written.
    """
    if markers < 1:
        raise BadInput(f"markers must be 1 or more. Got {markers} instead")
    watch = _Watch(port, polling or Polling(), SystemClock() if clock is None else clock, sleep)
    drawn = fresh_tokens() if tokens is None else tokens
    changes: list[Change] = []
    for _ in range(markers):
        token = next(drawn)
        found = await watch.marker(token, (document or _document)(token))
        changes += found
        if heard is not None:
            for change in found:
                heard(change)
        if any(change.left_behind for change in found):
            break
    return tuple(changes)


def _document(token: str) -> Document:
    text = f"The freshness marker {token} says when this index was last brought up to date."
    return Document(doc_id=f"{MARKER}{token}", text=text, title=f"Freshness marker {token}")


@dataclass(frozen=True, slots=True)
class _Watch:
    port: IndexMaintenance
    polling: Polling
    clock: Clock
    sleep: Callable[[float], Coroutine[Any, Any, None]]

    async def marker(self, token: str, document: Document) -> list[Change]:
        if token not in document.doc_id and token not in document.text:
            raise BadInput(f"the marker {document.doc_id!r} does not hold its token {token!r}")
        before, error = await self._tried(self.port.search(document.text))
        if before is not None and before.shows(token):
            raise BadInput(f"the search shows the marker {token!r} before it is written; it must return results alone")
        if isinstance(error, AskFailed) and error.unreachable:
            raise SystemUnavailable(f"the index is not reached: {error.message}")
        if isinstance(error, AskFailed) and error.kind == "InvalidReply":
            raise BadInput(f"the search cannot be read: {error.message}")
        changes: list[Change] = []
        finished = False
        try:
            changes.append(await self._watched("written", self.port.write(document), document, token))
            if changes[0].seen_ms is not None:
                changes.append(await self._watched("deleted", self.port.delete(document.doc_id), document, token))
            finished = True
        finally:
            kept = not finished or changes[-1].kind == "written" or changes[-1].committed_ms is None
            _, error = await self._tried(self.port.delete(document.doc_id)) if kept else (None, None)
            if error is not None and not finished:
                told = f"the marker {document.doc_id!r} may be left in the index: {error}"
                raise SystemUnavailable(told) from error
        if error is None or _never_there(changes[-1], error):
            return changes
        return [*changes[:-1], replace(changes[-1], left_behind=True, last_error=str(error))]

    async def _watched(self, kind: Any, change: Coroutine[Any, Any, None], document: Document, token: str) -> Change:
        """Commit a change and search until it shows."""
        _, error = await self._tried(change)
        deadline_ms = 1000 * self.polling.deadline_s
        if error is not None:
            refused = Failed("write" if kind == "written" else "delete", *_in_words(error))
            return Change(document.doc_id, kind, refused, deadline_ms=deadline_ms)
        committed, committed_at = self.clock.monotonic_ms(), self.clock.now()
        deadline = committed + deadline_ms
        searches = failed = agreed = 0
        first = missed = committed
        last: str | None = None
        while (started := self.clock.monotonic_ms()) <= deadline:
            result, error = await self._tried(self.port.search(document.text))
            searches += 1
            if result is None:
                failed, last, agreed = failed + 1, str(error), 0
            elif result.shows(token) == (kind == "written"):
                first = started if not agreed else first
                agreed += 1
            else:
                missed, agreed = started, 0
            if agreed >= self.polling.agreeing:
                break
            await self.sleep(self.polling.pause_s)
        seen = agreed >= self.polling.agreeing
        return Change(
            document.doc_id,
            kind,
            ChangeView(kind, first - committed if seen else None, deadline_ms),
            not_before_ms=missed - committed,
            committed_ms=committed,
            committed_at=committed_at,
            seen_ms=first if seen else None,
            deadline_ms=deadline_ms,
            searches=searches,
            failed_searches=failed,
            last_error=last,
        )

    async def _tried(self, work: Coroutine[Any, Any, Any]) -> tuple[Any, Exception | None]:
        """Return what a call returned, or what it raised; an interruption passes through."""
        result: Any = (await asyncio.gather(work, return_exceptions=True))[0]
        if isinstance(result, BaseException):
            if not isinstance(result, Exception):
                raise result
            return None, result
        return result, None


def _in_words(error: Exception) -> tuple[str, str]:
    return (error.kind, error.message) if isinstance(error, AskFailed) else (type(error).__name__, str(error))


def _never_there(change: Change, error: Exception) -> bool:
    """Say whether a system that plainly refused a document also says that it has none of this id."""
    refused = isinstance(change.outcome, Failed) and change.kind == "written" and change.outcome.error.startswith(_NO)
    return refused and _in_words(error)[0] in _GONE
