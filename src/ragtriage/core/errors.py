"""Every error a caller may catch, with the exit code that the command line turns it into.

RagtriageError                                                              exit 70
  BadInput          a file, option or configuration that breaks its rules   exit 2
    UnknownName     a metric, format, schema, field that does not exist     exit 2
    PlanChanged     a run folder that was made by another plan              exit 2
    MissingExtra    an optional dependency that is not installed            exit 2
  NotComparable     two runs that share no golden set                       exit 3
  StorageFailed     a run folder that cannot be written, read or locked     exit 4
  SystemUnavailable the system under test does not answer at all            exit 5
  JudgeUnavailable  a model endpoint does not answer at all                 exit 5
  BudgetReached     the next call of a model could cost more than is left   exit 5
  Interrupted       stopped by Ctrl-C; the run can be resumed               exit 130

A failed gate is no error: it is a verdict, and the command line turns it into exit 1 or 3.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = [
    "BadInput",
    "BudgetReached",
    "Fault",
    "Interrupted",
    "JudgeUnavailable",
    "MissingExtra",
    "NotComparable",
    "PlanChanged",
    "RagtriageError",
    "StorageFailed",
    "SystemUnavailable",
    "UnknownName",
    "did_you_mean",
]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `" Did you mean 'x'?"` for the nearest known names, or an empty string.

    >>> did_you_mean("recal", ["recall", "precision"])
    " Did you mean 'recall'?"
    """
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that is wrong at one place of a file; `line` is 1-based, 0 where a fault has no line."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        """`golden/cases.jsonl:17: 'grade' must be ...`."""
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


class RagtriageError(Exception):
    """The root of every error raised on purpose."""

    exit_code = 70


class BadInput(RagtriageError):
    """A file, option or configuration breaks its rules; carries every fault that was found."""

    exit_code = 2

    def __init__(self, message: str, faults: Sequence[Fault] = ()) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join([message, *map(str, self.faults)]) if faults else message)


class UnknownName(BadInput):
    """A name that nothing answers to; says which known names are near."""

    def __init__(self, name: str, *, known: Iterable[str], what: str) -> None:
        self.name = name
        super().__init__(f"there is no {what} {name!r}.{did_you_mean(name, known)}")


class MissingExtra(BadInput):
    """An optional dependency is not installed; names the command that brings it."""

    def __init__(self, package: str, *, extra: str, needed_for: str) -> None:
        super().__init__(f"{needed_for} needs {package}, which is not installed: pip install 'ragtriage[{extra}]'")


class PlanChanged(BadInput):
    """The run folder was made by another plan; the message names each field that differs."""


class NotComparable(RagtriageError):
    """Two runs do not share the golden set, so their difference means nothing."""

    exit_code = 3


class StorageFailed(RagtriageError):
    """A run folder cannot be written, read or locked."""

    exit_code = 4


class SystemUnavailable(RagtriageError):
    """The system under test cannot be loaded or does not answer at all."""

    exit_code = 5


class JudgeUnavailable(RagtriageError):
    """The endpoint of a model cannot be reached, refuses the key or model, or failed too often in a row."""

    exit_code = 5


class BudgetReached(RagtriageError):
    """The next call of a model could cost more than what is left of the budget; nothing was sent."""

    exit_code = 5


class Interrupted(RagtriageError):
    """The user stopped the run; what was finished is stored and the run can be resumed."""

    exit_code = 130
