"""Draw a stored run again, in any format, without the system, the corpus or a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragtriage.core.catalogue import FORMATS
from ragtriage.core.errors import NotComparable
from ragtriage.decisions.baseline import not_comparable
from ragtriage.report.model import Report
from ragtriage.report.write import format_of, render, write_report
from ragtriage.workflows.compare import compared_with
from ragtriage.workflows.compared import kept
from ragtriage.workflows.run import Run

__all__ = ["draw", "format_names", "report"]


def report(run: str | Path, *, files: Sequence[str | Path] = (), baseline: str | Path | Run | None = None) -> Report:
    """Load a run folder and write its report to each file, in the format of its suffix.

    `baseline`: the run that it is set beside; without one, the run that the evaluation was given. No file is written
    when one of them has a suffix that no format answers to. Raises BadInput, StorageFailed, and NotComparable where the
    two runs used different golden sets.
    """
    places = [Path(file) for file in files]
    for place in places:
        format_of(place)
    drawn = Run.load(run).report()
    if baseline is not None:
        base = baseline if isinstance(baseline, Run) else Run.load(baseline)
        if (reason := not_comparable(base.results, drawn.results)) is not None:
            raise NotComparable(f"{reason}: their difference means nothing")
        compared = compared_with(base, drawn)
        drawn = replace(drawn, compared=None if compared is None else kept(compared))
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
