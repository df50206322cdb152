"""`ragtriage doctor`: what can this installation run?"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

from ragtriage.cli._options import Output, output_options, wants_color

if TYPE_CHECKING:
    from ragtriage.workflows.doctor import Terminal

__all__ = ["command"]

_BAD_INPUT = 2
_COLOURS = {"ok": "green", "absent": "yellow", "note": "yellow", "fault": "red"}


@click.command()
@click.option("-c", "config", type=click.Path(), metavar="FILE", help="Look at this configuration too.")
@output_options("text", "json", default="text", quiet="Print what is wrong alone.")
def command(*, config: str | None, output: Output) -> int:
    """Say what this installation can run and, with -c, whether a configuration finds all that it needs.

    Reads files and imports the system under test, but asks it nothing and uses no network. Exit code: 0, or 2 where
    something is missing without which no evaluation runs.
    """
    from contextlib import redirect_stdout  # noqa: PLC0415 - a command loads what it needs when it runs
    from dataclasses import replace  # noqa: PLC0415

    from ragtriage.report.escaping import visible  # noqa: PLC0415
    from ragtriage.workflows.doctor import as_json, as_lines, examine  # noqa: PLC0415

    terminal = _terminal(output)
    with redirect_stdout(sys.stderr):  # what the system under test prints while it is imported is no result
        found = examine(config, terminal=terminal, environment=os.environ)
    shown = replace(found, checks=found.faults) if output.quiet else found
    if output.form == "json":
        content = as_json(shown)
    else:
        lines = as_lines(shown) if shown.checks else []
        content = "".join(f"{_painted(visible(line), on=output.colored)}\n" for line in lines)
    output.put(content)
    return _BAD_INPUT if found.faults else 0


def _terminal(output: Output) -> Terminal:
    from ragtriage.workflows.doctor import Terminal  # noqa: PLC0415

    attended, colour = sys.stdout.isatty(), wants_color(output.color)
    return Terminal(attended, shutil.get_terminal_size((80, 24)).columns, colour, sys.stdout.encoding)


def _painted(line: str, *, on: bool) -> str:
    """Colour the word that says how a check went; it stands there as text all the same."""
    state = line[2:9].strip()
    if not on or not line.startswith("  ") or state not in _COLOURS:
        return line
    return f"  {click.style(line[2:9], fg=_COLOURS[state])}{line[9:]}"
