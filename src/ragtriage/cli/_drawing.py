"""How the summary of a run looks on this stdout: its width, and whether colours are wanted."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragtriage.report.model import Report

__all__ = ["summary"]

_PIPE_COLUMNS = 80


def summary(report: Report, *, color: str) -> str:
    """Draw the summary; `color` is auto, always or never, and auto means on a terminal without NO_COLOR."""
    from ragtriage.report.formats.terminal import terminal  # noqa: PLC0415 - loaded where it is drawn

    attended = sys.stdout.isatty()
    colored = color == "always" or (color == "auto" and attended and not os.environ.get("NO_COLOR"))
    width = shutil.get_terminal_size((_PIPE_COLUMNS, 24)).columns if attended else _PIPE_COLUMNS
    return terminal(report, width=width, color=colored)
