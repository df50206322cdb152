"""What a command says of a measured run: its summary on stdout and the gate's exit code."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ragtriage.workflows.run import Run

__all__ = ["tell"]

_EXIT = {"pass": 0, "fail": 1, "undecidable": 3}


def tell(run: Run, *, color: str, verbose: bool) -> int:
    """Print the summary, every metric where it is asked for, and return the exit code of the gate."""
    from ragtriage.report.formats.terminal import terminal  # noqa: PLC0415 - loaded where something is drawn

    colored = color == "always" or (color == "auto" and sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
    width = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80
    drawn = terminal(run.report(), width=width, color=colored)
    click.echo(drawn, nl=False, color=True)  # whether it is coloured was decided above
    if verbose:
        click.echo(f"\n{run!r}")
    gate = run.results.gate
    return 0 if gate is None else _EXIT[gate.verdict]
