"""Measure how fresh an index is, from Python: an index of your own functions, or one that `index.toml` describes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_text, read_toml, validate_record
from ragtriage.core.index_views import ChangeView, ServedView
from ragtriage.core.score import Failed, Score
from ragtriage.metrics.ingest.deletion_lag import deletion_lag
from ragtriage.metrics.ingest.freshness_lag import freshness_lag
from ragtriage.metrics.ingest.stale_query_share import stale_query_share
from ragtriage.metrics.ingest.unseen_changes import unseen_changes
from ragtriage.runs.freshness import Change, Polling, measure_changes
from ragtriage.runs.maintenance import IndexMaintenance
from ragtriage.runs.maintenance_http import HttpMaintenance, IndexAccess, with_our_names
from ragtriage.runs.secrets import Secrets, names_in
from ragtriage.runs.viewing_changes import Windows
from ragtriage.workflows.averages import Average, average
from ragtriage.workflows.awaiting import finished
from ragtriage.workflows.settings import fault_at, http_faults, lines_of

__all__ = ["Freshness", "index_freshness", "lagging_views", "open_index", "stale_queries"]

_PARTS = ("write", "delete", "search")


@dataclass(frozen=True, slots=True)
class Freshness:
    """The changes that were made and what they come to; lags in milliseconds.

    `unseen`: share of the changes that no search showed within the deadline; a refused change counts as failed in it.
    """

    changes: tuple[Change, ...]
    freshness_p50: Score
    freshness_p99: Score
    deletion_p50: Score
    deletion_p99: Score
    unseen: Average

    @property
    def failed(self) -> tuple[Change, ...]:
        """The changes that the system refused."""
        return tuple(change for change in self.changes if isinstance(change.outcome, Failed))

    @property
    def measured(self) -> bool:
        """Whether the system took any change."""
        return len(self.failed) < len(self.changes)

    @property
    def left_behind(self) -> tuple[str, ...]:
        """The ids of markers that could not be deleted and may still be in the index."""
        return tuple(change.doc_id for change in self.changes if change.left_behind)


def index_freshness(
    port: IndexMaintenance, *, markers: int = 20, polling: Polling | None = None, **options: Any
) -> Freshness:
    """Measure an index by markers and close it; `options` are those of `measure_changes`.

    The 99th percentile of few markers is all but their slowest; take some hundred where it matters. Raises BadInput
    and SystemUnavailable as `measure_changes` does.
    """

    async def measured() -> tuple[Change, ...]:
        try:
            return await measure_changes(port, markers=markers, polling=polling, **options)
        finally:
            await port.close()

    changes = finished(measured)
    views = [change.outcome for change in changes if isinstance(change.outcome, ChangeView)]
    outcomes = [c.outcome if isinstance(c.outcome, Failed) else unseen_changes(c.outcome) for c in changes]
    return Freshness(
        changes,
        freshness_lag(views, percentile=50),
        freshness_lag(views, percentile=99),
        deletion_lag(views, percentile=50),
        deletion_lag(views, percentile=99),
        average(outcomes, population="events"),
    )


def open_index(path: Path, *, environment: Mapping[str, str]) -> HttpMaintenance:
    """Read `index.toml` and open the index that it describes; `environment` holds the values of `env:NAME`.

    Raises BadInput with every fault and its line, MissingExtra without the extra `http`.
    """
    lines = lines_of(read_text(path))
    access, problems = validate_record(IndexAccess, read_toml(path))
    faults = [fault_at(path, problem, lines) for problem in problems]
    if access is not None:
        faults += [fault_at(path, f"{key!r} {text}", lines) for key, text in _faults(access)]
    if access is None or faults:
        raise BadInput(f"{path} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", sorted(faults))
    named = sorted(set(names_in(access.model_dump(mode="json"))))
    missing = [name for name in named if not environment.get(name)]
    if missing:
        raise BadInput(f"{path} names environment variables that are not set: {', '.join(missing)}")
    return HttpMaintenance(access, secrets=Secrets({name: environment[name] for name in named}))


def _faults(access: IndexAccess) -> Iterator[tuple[str, str]]:
    for part in _PARTS:
        yield from http_faults(with_our_names(getattr(access, part)), place=part)
    if not access.search.fields:
        yield "search", "has no 'fields', which read the results from the reply"


def lagging_views(
    asked_ms: Sequence[float], windows: Sequence[tuple[float, float | None]] | None
) -> tuple[ServedView, ...]:
    """Say of each query whether a change was committed and not yet searchable when it was asked.

    `windows`: (committed, searchable) of each change, on one clock with the queries; None for a change that is not
    searchable yet. A window holds its beginning and not its end. `windows` None, or none: nothing tells.

    >>> [view.lagging for view in lagging_views([1, 5, 9], [(4, 6), (8, None)])]
    [False, True, True]
    """
    if not windows:
        return tuple(ServedView(None) for _ in asked_ms)
    backwards = [window for window in windows if window[1] is not None and window[1] < window[0]]
    if backwards:
        raise BadInput(f"{len(backwards)} changes are searchable before they are committed, such as {backwards[0]}")
    lagging = Windows((begin, math.inf if end is None else end) for begin, end in windows)
    return tuple(ServedView(lagging.hold(asked)) for asked in asked_ms)


def stale_queries(asked_ms: Sequence[float], windows: Sequence[tuple[float, float | None]] | None) -> Average:
    """Return the share of queries that were served while the index lagged, with its interval.

    >>> stale_queries([1, 5, 9, 10], [(4, 6)]).value
    0.25
    """
    return average((stale_query_share(view) for view in lagging_views(asked_ms, windows)), population="queries")
