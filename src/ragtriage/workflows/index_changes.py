"""Write down how an index takes changes: marker documents through the port, JSON Lines for `[ingest] changes`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from ragtriage.core.files import write_atomic
from ragtriage.core.records import Document
from ragtriage.core.score import Failed, Score, Undefined, Value
from ragtriage.report.wording import count, number, unit_sign
from ragtriage.runs.execute import Progress
from ragtriage.runs.freshness import Change, Polling, recorded_change
from ragtriage.runs.maintenance import IndexMaintenance, Returned
from ragtriage.runs.writable import check_file
from ragtriage.workflows.index_freshness import Freshness, index_freshness, open_index

__all__ = ["as_json", "as_table", "left_in_index", "notes_on", "record_changes"]


def record_changes(
    index: Path,
    output: Path,
    *,
    environment: Mapping[str, str],
    markers: int,
    polling: Polling,
    warn: Callable[[str], None],
    progress: Progress | None = None,
) -> Freshness:
    """Measure the index that `index` describes and write its changes to `output`, whole or not at all.

    `warn` is told of markers that may be left in the index, also where the measurement was broken off. Raises BadInput,
    MissingExtra and SystemUnavailable as `open_index` and `index_freshness` do; StorageFailed, before anything is
    written to the index, where the output cannot be.
    """
    check_file(output, inputs=[index])
    port = _Remembering(open_index(index, environment=environment))
    shown = _Shown(progress, markers)
    found: Freshness | None = None
    try:
        found = index_freshness(port, markers=markers, polling=polling, heard=shown.hear)
    finally:
        shown.end()
        left = port.held if found is None else found.left_behind
        if left:
            warn(left_in_index(left))
    write_atomic(output, "".join(map(_line, found.changes)))
    return found


def left_in_index(names: Sequence[str]) -> str:
    """Say which markers must be deleted by hand."""
    return f"{count(len(names), 'marker')} may be left in the index, delete by hand: {', '.join(names)}"


def notes_on(found: Freshness, *, markers: int) -> Iterator[str]:
    """Say what a reader of the numbers must know."""
    made = len({change.doc_id for change in found.changes})
    if made < markers:
        yield f"ended after {made} of {count(markers, 'marker')}: one could not be deleted"
    refused = [change.outcome for change in found.failed if isinstance(change.outcome, Failed)]
    if refused:
        first = refused[0]
        yield f"{count(len(refused), 'change was', 'changes were')} refused, first {first.error}: {first.message}"
    late = _still_found(found)
    if late:
        yield f"deleted, and still found at the deadline; look whether they are gone: {', '.join(late)}"
    broken = sum(change.failed_searches for change in found.changes)
    if broken:
        last = next(change.last_error for change in reversed(found.changes) if change.failed_searches)
        searches = sum(change.searches for change in found.changes)
        yield f"{broken:,} of {count(searches, 'search', 'searches')} failed, the last with {last}"


def _still_found(found: Freshness) -> tuple[str, ...]:
    """Return the ids of markers that were deleted and that searches found up to the deadline."""
    late = (change for change in found.changes if change.kind == "deleted" and change.committed_ms is not None)
    return tuple(change.doc_id for change in late if change.seen_ms is None)


def as_json(found: Freshness) -> str:
    """Return JSON: lags in milliseconds, `null` with its reason where there is none, and counts of changes."""
    content = {
        "metrics": {name: _plain(score) for name, score in _scores(found)},
        "changes": len(found.changes),
        "refused": len(found.failed),
        "left_behind": list(found.left_behind),
        "still_found": list(_still_found(found)),
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_table(found: Freshness) -> Table:
    """Return a table: a row for each number with what it counts, and why there is none where that is so."""
    title = f"{count(len(found.changes), 'change')}, {len(found.failed):,} refused"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for name in ("metric", "at"):
        table.add_column(name)
    for name in ("value", "n"):
        table.add_column(name, justify="right")
    scores = _scores(found)
    lacking = any(isinstance(score, Undefined) for _, score in scores)
    if lacking:
        table.add_column("why there is none")
    for name, score in scores:
        why = [score.reason] if isinstance(score, Undefined) else [""]
        unit = "fraction" if name == "ingest.unseen_changes" else "milliseconds"
        shown, n = "\u2013", 0
        if isinstance(score, Value):
            shown, n = f"{number(score.value, unit=unit)} {unit_sign(unit)}".strip(), score.support
        at = "" if unit == "fraction" else "p99" if name.endswith("(percentile=99)") else "p50"
        table.add_row(*map(Text, [name.partition("(")[0], at, shown, f"{n:,}", *(why if lacking else [])]))
    return table


def _scores(found: Freshness) -> list[tuple[str, Score]]:
    """Name each number as rows of a run do."""
    unseen = found.unseen
    return [
        ("ingest.freshness_lag", found.freshness_p50),
        ("ingest.freshness_lag(percentile=99)", found.freshness_p99),
        ("ingest.deletion_lag", found.deletion_p50),
        ("ingest.deletion_lag(percentile=99)", found.deletion_p99),
        (
            "ingest.unseen_changes",
            Undefined(unseen.reason or "") if unseen.value is None else Value(unseen.value, unseen.scored),
        ),
    ]


def _plain(score: Score) -> dict[str, Any]:
    if isinstance(score, Value):
        return {"value": score.value, "support": score.support}
    return {"value": None, "reason": score.reason}


def _line(change: Change) -> str:
    record = recorded_change(change)
    return record.model_dump_json(exclude=None if record.failure is not None else {"failure"}) + "\n"


class _Shown:
    """Shows how far the markers are; the changes of one marker come together."""

    def __init__(self, progress: Progress | None, markers: int) -> None:
        self._progress = progress
        self._last = ""
        if progress is not None:
            progress.begin(markers, 0)

    def hear(self, change: Change) -> None:
        if self._progress is not None and change.doc_id != self._last:
            self._progress.advance(failed=isinstance(change.outcome, Failed))
        self._last = change.doc_id

    def end(self) -> None:
        if self._progress is not None:
            self._progress.end()


class _Remembering:
    """A port that knows which documents it was asked to write and has not seen deleted."""

    def __init__(self, port: IndexMaintenance) -> None:
        self._port = port
        self._held: dict[str, None] = {}

    @property
    def held(self) -> tuple[str, ...]:
        return tuple(self._held)

    async def write(self, document: Document) -> None:
        self._held[document.doc_id] = None
        await self._port.write(document)

    async def delete(self, doc_id: str) -> None:
        await self._port.delete(doc_id)
        self._held.pop(doc_id, None)

    async def search(self, question: str) -> Returned:
        return await self._port.search(question)

    async def close(self) -> None:
        await self._port.close()
