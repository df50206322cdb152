"""One thing that was looked at, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragtriage.core.errors import RagtriageError

__all__ = ["Check", "State", "fault_of"]

State = Literal["ok", "absent", "note", "fault"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    `state`: ok; absent (optional, not installed); note (worth knowing, stops nothing); fault (no evaluation runs).
    `details`: more lines of what was found; `remedy`: what to do.
    """

    group: str
    name: str
    state: State
    found: str
    details: tuple[str, ...] = ()
    remedy: str | None = None


def fault_of(group: str, name: str, error: RagtriageError, *, remedy: str | None = None) -> Check:
    """Return an error as a check, each of its lines kept."""
    first, *rest = str(error).splitlines() or [type(error).__name__]
    return Check(group, name, "fault", first, tuple(rest), remedy)
