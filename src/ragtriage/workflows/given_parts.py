"""One part of what `[ingest]` names, as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtriage.core.files import read_bytes
from ragtriage.core.identity import hash_bytes, hash_json
from ragtriage.data.border_labels import BorderLabel
from ragtriage.data.index_changes import IndexChange
from ragtriage.runs.units import Population

__all__ = ["Part", "identity_of"]


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
