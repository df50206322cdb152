"""Write a report to a file; the suffix of its name says in which format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragtriage.core.catalogue import FORMATS
from ragtriage.core.declare import ReportFormat
from ragtriage.core.errors import BadInput, did_you_mean
from ragtriage.core.files import write_atomic
from ragtriage.report.model import Report

__all__ = ["format_of", "render", "write_report"]


def format_of(path: Path) -> ReportFormat[Any, Any]:
    """Find the format of a file by its suffix; raises BadInput that lists the suffixes."""
    found = {declared.suffix: declared for _, declared in FORMATS}
    if path.suffix.lower() not in found:
        hint = did_you_mean(path.suffix, found)
        known = " ".join(sorted(found))
        raise BadInput(f"{path}: no report format has the suffix {path.suffix!r}.{hint} There are: {known}")
    return found[path.suffix.lower()]


def render(report: Report, name: str) -> str | bytes:
    """Draw a report in the format of this name (`html`, `md`, ...); raises UnknownName."""
    drawn: str | bytes = FORMATS[name](report)
    return drawn


def write_report(report: Report, path: Path) -> None:
    """Draw a report in the format of the file's suffix and write it atomically; raises BadInput, StorageFailed."""
    write_atomic(path, format_of(path)(report))
