"""Foreign data sets as documents and cases, found by the name of their reader: `scifact`, `beir`, `xquad:ru>en`."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from ragtriage.core.catalogue import SOURCES
from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.records import Case, Document

__all__ = ["DataSet", "read_data_set", "refuse"]


class DataSet(NamedTuple):
    """What a reader of a data set returns."""

    documents: list[Document]
    cases: list[Case]


def read_data_set(path: Path, *, source: str) -> DataSet:
    """Read a data set with the reader that `source` names; what follows a colon is the reader's option.

    Raises BadInput for a reader that knows no option, or that reads something other than documents and cases.
    """
    name, colon, option = source.partition(":")
    reader = SOURCES[name]
    if colon and "option" not in inspect.signature(reader.read).parameters:
        raise BadInput(f"the source {name!r} takes no option. Got {source!r}")
    found = reader(path, option=option) if colon else reader(path)
    if not isinstance(found, DataSet):
        raise BadInput(f"the source {name!r} ({reader.title}) holds no documents and cases")
    return found


def refuse(path: Path, faults: Iterable[Fault]) -> NoReturn:
    """Raise BadInput with all faults of a data set."""
    found: Sequence[Fault] = sorted(faults)
    raise BadInput(f"{path} has {len(found)} fault{'s' if len(found) > 1 else ''}:", found)
