"""Draw a stored run again, in any format, without the system, the corpus or a judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragtriage.core.catalogue import FORMATS
from ragtriage.report.model import Report
from ragtriage.report.write import format_of, render, write_report
from ragtriage.workflows.run import Run

__all__ = ["draw", "format_names", "report"]


def report(run: str | Path, *, files: Sequence[str | Path] = ()) -> Report:
    """Load a run folder and write its report to each file, in the format of its suffix.

    No file is written when one of them has a suffix that no format answers to. Raises BadInput, StorageFailed.
    """
    places = [Path(file) for file in files]
    for place in places:
        format_of(place)
    drawn = Run.load(run).report()
    for place in places:
        write_report(drawn, place)
    return drawn


def draw(drawn: Report, name: str) -> bytes:
    """Return a report in the format of this name as the bytes of its file; raises UnknownName."""
    found = render(drawn, name)
    return found.encode() if isinstance(found, str) else found


def format_names() -> tuple[str, ...]:
    """Name the formats that there are."""
    return FORMATS.names()
