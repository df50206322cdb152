"""`ragtriage doctor`: what can this installation run?"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ragtriage.workflows.doctor import Terminal

__all__ = ["command"]

_BAD_INPUT = 2
_COLOURS = {"ok": "green", "absent": "yellow", "note": "yellow", "fault": "red"}


@click.command()
@click.option("-c", "config", type=click.Path(), metavar="FILE", help="Look at this configuration too.")
@click.option("-o", "output", type=click.Path(), metavar="FILE", help="Write there instead of standard output.")
@click.option("--format", "name", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("-q", "--quiet", is_flag=True, help="Print what is wrong alone.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def command(*, config: str | None, output: str | None, name: str, quiet: bool, color: str) -> int:
    """Say what this installation can run and, with -c, whether a configuration finds all that it needs.

    Reads files and imports the system under test, but asks it nothing and uses no network. Exit code: 0, or 2 where
    something is missing without which no evaluation runs.
    """
    from contextlib import redirect_stdout  # noqa: PLC0415 - a command loads what it needs when it runs
    from dataclasses import replace  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    from ragtriage.core.files import write_atomic  # noqa: PLC0415
    from ragtriage.report.escaping import visible  # noqa: PLC0415
    from ragtriage.workflows.doctor import as_json, as_lines, examine  # noqa: PLC0415

    terminal = _terminal(color)
    with redirect_stdout(sys.stderr):  # what the system under test prints while it is imported is no result
        found = examine(config, terminal=terminal, environment=os.environ)
    shown = replace(found, checks=found.faults) if quiet else found
    if name == "json":
        content = as_json(shown)
    else:
        lines = as_lines(shown) if shown.checks else []
        content = "".join(f"{_painted(visible(line), on=terminal.colour and output is None)}\n" for line in lines)
    if output is None:
        click.echo(content, nl=False, color=True)
    else:
        write_atomic(Path(output), content)
    return _BAD_INPUT if found.faults else 0


def _terminal(color: str) -> Terminal:
    from ragtriage.workflows.doctor import Terminal  # noqa: PLC0415

    attended = sys.stdout.isatty()
    colour = color == "always" or (color == "auto" and attended and not os.environ.get("NO_COLOR"))
    return Terminal(attended, shutil.get_terminal_size((80, 24)).columns, colour, sys.stdout.encoding)


def _painted(line: str, *, on: bool) -> str:
    """Colour the word that says how a check went; it stands there as text all the same."""
    state = line[2:9].strip()
    if not on or not line.startswith("  ") or state not in _COLOURS:
        return line
    return f"  {click.style(line[2:9], fg=_COLOURS[state])}{line[9:]}"
