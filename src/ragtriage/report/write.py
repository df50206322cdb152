"""Write a report to a file; the suffix of its name says in which format."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ragtriage.core.catalogue import FORMATS
from ragtriage.core.declare import ReportFormat
from ragtriage.core.errors import BadInput, StorageFailed, did_you_mean
from ragtriage.core.files import write_atomic
from ragtriage.report.model import Report

__all__ = ["PAGE", "format_of", "remove_pages", "render", "write_report"]

PAGE = "cases-{:03}.html"  # what a page of a report is called that is too large for one file


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
    """Draw a report in the format of the file's suffix and write it atomically; raises BadInput, StorageFailed.

    A report that is too large for one file gets a folder beside it, called as the file without its suffix.
    """
    declared = format_of(path)
    if declared.files is None:
        write_atomic(path, declared(report))
        return
    remove_pages(path)
    files: Mapping[str, str] = declared.files(report, path.name)
    for place in sorted(files, key=lambda place: place == path.name):  # the page that links to the others last
        write_atomic(path.parent / place, files[place])


def remove_pages(path: Path) -> None:
    """Remove the pages that an earlier report left in the folder beside `path`, and the folder where that empties it.

    Other files are left alone. Raises StorageFailed.
    """
    pages = list(path.with_suffix("").glob(PAGE.replace("{:03}", "[0-9]*")))
    try:
        for page in pages:
            page.unlink()
    except OSError as error:
        raise StorageFailed(f"{error.filename}: cannot be removed: {error.strerror or error}") from error
    if pages:
        with suppress(OSError):
            path.with_suffix("").rmdir()
