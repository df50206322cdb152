"""What a command says of a measured run: its summary, or the run in another format, and the gate's exit code."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragtriage.cli._options import Output
    from ragtriage.workflows.run import Run

__all__ = ["check_form", "shown", "tell"]

_EXIT = {"pass": 0, "fail": 1, "undecidable": 3}
_PIPE_COLUMNS = 80
_MOST_NOTES = 10


def check_form(form: str | None) -> None:
    """Refuse a format that does not exist before anything is done; raises UnknownName."""
    from ragtriage.core.errors import UnknownName  # noqa: PLC0415 - loaded where something is drawn
    from ragtriage.workflows.report import format_names  # noqa: PLC0415

    if form is not None and form not in format_names():
        raise UnknownName(form, known=format_names(), what="report format")


def shown(run: Run, output: Output) -> str | bytes:
    """Draw a run in the format asked for, else the summary: as wide as the terminal, with every metric if verbose."""
    from ragtriage.report.formats.terminal import terminal  # noqa: PLC0415 - loaded where something is drawn
    from ragtriage.workflows.report import draw  # noqa: PLC0415

    if output.form is not None:
        return draw(run.report(), output.form)
    attended = output.file is None and sys.stdout.isatty()
    width = shutil.get_terminal_size((_PIPE_COLUMNS, 24)).columns if attended else _PIPE_COLUMNS
    drawn = terminal(run.report(), width=width, color=output.colored)
    return f"{drawn}\n{run!r}\n" if output.verbose else drawn


def tell(run: Run, output: Output) -> int:
    """Put out the run, say beside it what its numbers do not show, and return the exit code of the gate."""
    from ragtriage.report.escaping import visible  # noqa: PLC0415 - loaded where something is drawn

    output.put(shown(run, output))
    for note in run.results.notes[:_MOST_NOTES] if output.form is None else ():
        output.say(f"note: {visible(note)}")
    gate = run.results.gate
    return 0 if gate is None else _EXIT[gate.verdict]
