"""Metrics again from what a run stored: nobody is asked, nothing is judged, equal records give equal results."""

from __future__ import annotations

from pathlib import Path

from ragtriage.core.errors import BadInput
from ragtriage.runs.lock import FolderLock
from ragtriage.runs.store import RunStore
from ragtriage.workflows.finishing import finish
from ragtriage.workflows.inputs import stored_inputs
from ragtriage.workflows.run import Run

__all__ = ["rescore"]


def rescore(run: str | Path, *, baseline: str | Path | None = None, gate: bool = True) -> Run:
    """Measure a stored run again and write its results anew; also a run that was interrupted.

    The corpus is read from where the run found it. Raises NotComparable where it is another one by now, BadInput where
    no run lies in the folder, StorageFailed.
    """
    folder = Path(run)
    if not RunStore.exists(folder):
        raise BadInput(f"{folder} holds no run: there is no run.sqlite in it")
    base = None if baseline is None else Run.load(baseline)
    with FolderLock(folder), RunStore.open(folder) as store:
        return finish(store, stored_inputs(store), baseline=base, gate=gate)
