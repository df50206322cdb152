"""The rubrics that exist: one TOML file each, its path is its name; others come by entry points."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.judges.rubric import Rubric, read_rubric

__all__ = ["RUBRICS", "RubricCatalogue"]

_GROUP = "ragtriage.rubrics"


class RubricCatalogue:
    """Finds rubrics by their files. An entry point names a function without arguments that returns a file's path."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, Rubric] = {}

    def names(self) -> tuple[str, ...]:
        """List all names, sorted, reading none of the files."""
        return tuple(sorted({path.stem for path in self._folder.glob("*.toml")} | set(self._foreign)))

    def __getitem__(self, name: str) -> Rubric:
        """Return a rubric; raises UnknownName with the nearest names, BadInput for a file that breaks its rules."""
        if name not in self._read:
            self._read[name] = read_rubric(self._path(name))
        return self._read[name]

    def __iter__(self) -> Iterator[Rubric]:
        """Yield every rubric."""
        return (self[name] for name in self.names())

    def _path(self, name: str) -> Path:
        if name in self._foreign:
            path = self._foreign[name].load()()
            if not isinstance(path, str | Path):
                raise BadInput(f"entry point {name!r} of {_GROUP!r} must return the path of a TOML file")
            return Path(path)
        if name not in self.names():
            raise UnknownName(name, known=self.names(), what="rubric")
        return self._folder / f"{name}.toml"

    @functools.cached_property
    def _foreign(self) -> dict[str, importlib.metadata.EntryPoint]:
        return {entry.name: entry for entry in importlib.metadata.entry_points(group=_GROUP)}


def _own_folder() -> Path:
    found = importlib.util.find_spec("ragtriage.judges")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    return Path(places[0]) / "rubrics" if places else Path("rubrics")


RUBRICS = RubricCatalogue(_own_folder())
