"""How far a run is, on stderr: a bar on a terminal, a line every 10 % in CI or a pipe."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bar", "Lines", "shown_progress"]

_STEPS = 10


class Lines:
    """A line at every tenth of the way; nothing of fewer than `least` things, called `what`."""

    def __init__(self, *, what: str = "questions", least: int = 0) -> None:
        self._what, self._least = what, least
        self._total = self._done = self._failed = self._told = 0

    def begin(self, total: int, done: int) -> None:
        """Say how much there is and how much earlier attempts did."""
        self._total, self._done, self._failed = total, done, 0
        self._told = _STEPS * done // max(1, total)
        if total < self._least:
            self._told = _STEPS
            return
        earlier = f", {done} of them done by an earlier attempt" if done else ""
        click.echo(f"ragtriage: {total} {self._what}{earlier}", err=True)

    def advance(self, *, failed: bool) -> None:
        """Say so when another tenth is full."""
        self._done += 1
        self._failed += failed
        step = _STEPS * self._done // max(1, self._total)
        if step > self._told:
            self._told = step
            broken = f", {self._failed} failed" if self._failed else ""
            click.echo(f"ragtriage: {100 * step // _STEPS} % ({self._done} of {self._total}{broken})", err=True)

    def end(self) -> None:
        """Nothing is left to say."""


class Bar:
    """A bar that is redrawn in place; `doing` says what is done."""

    def __init__(self, *, doing: str = "asking") -> None:
        self._doing = doing
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._failed = 0

    def begin(self, total: int, done: int) -> None:
        """Draw the bar where earlier attempts left it."""
        from rich.console import Console  # noqa: PLC0415 - where a bar is drawn
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        columns = (TextColumn(self._doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        failed = TextColumn("{task.fields[failed]}")
        self._failed = 0
        self._bar = Progress(*columns, failed, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=total, completed=done, failed="")
        self._bar.start()

    def advance(self, *, failed: bool) -> None:
        """Move the bar."""
        self._failed += failed
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=1, failed=f"{self._failed} failed" if self._failed else "")

    def end(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def shown_progress(
    *, quiet: bool, doing: str = "asking", what: str = "questions", least: int = 0
) -> Bar | Lines | None:
    """Show how far it is: a bar on a terminal, lines in CI or a pipe, nothing where nothing shall be said."""
    if quiet:
        return None
    attended = sys.stderr.isatty() and not os.environ.get("CI")
    return Bar(doing=doing) if attended else Lines(what=what, least=least)
