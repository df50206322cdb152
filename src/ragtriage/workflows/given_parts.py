"""One part of what `[ingest]` names, as it was read, and who asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ragtriage.core.errors import BadInput, Fault, MissingExtra
from ragtriage.core.files import read_bytes
from ragtriage.core.identity import hash_bytes, hash_json
from ragtriage.core.records import Case
from ragtriage.data.border_labels import BorderLabel
from ragtriage.data.index_changes import IndexChange
from ragtriage.runs.selection import Selection
from ragtriage.runs.units import Population

__all__ = ["Chosen", "Part", "Reading", "identity_of"]

T = TypeVar("T")


@dataclass(frozen=True)
class Chosen:
    """The chosen cases and metrics of a run; none where the files are only looked at, and nothing is searched then."""

    cases: tuple[Case, ...] = ()
    selection: Selection = field(default_factory=lambda: Selection(()))

    def deepest(self, metric: str) -> int | None:
        """Return the largest `k` that a metric is asked for at, None where it is not asked for."""
        ks = [one.parameters["k"] for one in self.selection.metrics if one.base == metric and "k" in one.parameters]
        return max(ks, default=None)


@dataclass(frozen=True)
class Part:
    """What the files under one key hold; `identity`: a hash of them; `notes`: what a reader of results must know."""

    identity: str
    populations: Mapping[type[Any], Population] = field(default_factory=dict)
    borders: tuple[BorderLabel, ...] | None = None
    changes: tuple[IndexChange, ...] | None = None
    notes: tuple[str, ...] = ()


def identity_of(*files: Path | None, **settings: Any) -> str:
    """Return one hash of the contents of files and of what else makes a part what it is."""
    contents = [None if path is None else hash_bytes(read_bytes(path)) for path in files]
    return hash_json({"files": contents, "settings": settings})


@dataclass
class Reading:
    """Goes on after a fault, so that all of them are told together; `key` names what has no file of its own."""

    key: str = "[ingest]"
    faults: list[Fault] = field(default_factory=list)

    def tried(self, read: Callable[[], T], *, named: str | None = None) -> T | None:
        """Return what was read, None where it has faults; `named`: by which option or key, if not by that of all."""
        try:
            return read()
        except MissingExtra:
            raise
        except BadInput as error:
            self.faults += error.faults or [Fault(named or self.key, 0, str(error))]
            return None

    @property
    def error(self) -> BadInput:
        """All faults as one error."""
        return BadInput(f"what {self.key} names cannot be read:", sorted(self.faults))

    def end(self) -> None:
        """Raise them, where there is any."""
        if self.faults:
            raise self.error
