"""Find declared objects by the path of the file they live in, and those that other packages bring.

`retrieval.recall` is `metrics/retrieval/recall.py`. Looking one up imports that one module; listing imports none.
Other packages add theirs through an entry point whose name is the declared name: group `ragtriage.metrics`,
`my_stage.my_metric = "my_package.module:my_metric"`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

from ragtriage.core.declare import Metric, ReportFormat, TraceSource
from ragtriage.core.errors import BadInput, UnknownName

__all__ = ["FORMATS", "METRICS", "SOURCES", "Catalogue"]

T = TypeVar("T")


class Catalogue(Generic[T]):
    """The declared objects of one kind under one package, with those of one entry point group."""

    def __init__(self, package: str, kind: type[T], *, what: str, group: str | None = None) -> None:
        self._package = package
        self._kind = kind
        self._what = what
        self._group = group

    def names(self) -> tuple[str, ...]:
        """List all names, sorted, importing none of the modules."""
        return self._names

    def __contains__(self, name: object) -> bool:
        """Say whether something is declared under this name."""
        return name in self._names

    def __getitem__(self, name: str) -> T:
        """Return the declared object; raises UnknownName with the nearest names."""
        if name in self._foreign:
            found = self._foreign[name].load()
            if not isinstance(found, self._kind):
                raise BadInput(f"entry point {name!r} of {self._group!r} is no {self._kind.__name__}")
            return found
        if name not in self._names:
            raise UnknownName(name, known=self._names, what=self._what)
        module = importlib.import_module(f"{self._package}.{name}")
        declared = [v for v in vars(module).values() if isinstance(v, self._kind)]
        own = [v for v in declared if getattr(v, "__module__", None) == module.__name__]
        if len(own) != 1:
            raise BadInput(f"{module.__name__} must declare exactly one {self._kind.__name__}, found {len(own)}")
        return own[0]

    def __iter__(self) -> Iterator[tuple[str, T]]:
        """Yield every (name, object), importing each module."""
        return ((name, self[name]) for name in self.names())

    @functools.cached_property
    def _names(self) -> tuple[str, ...]:
        root = importlib.util.find_spec(self._package)
        folders = list(root.submodule_search_locations or ()) if root else []
        own = {name for folder in folders for name in self._walk(folder, "")}
        return tuple(sorted(own | set(self._foreign)))

    @functools.cached_property
    def _foreign(self) -> dict[str, importlib.metadata.EntryPoint]:
        if self._group is None:
            return {}
        return {entry.name: entry for entry in importlib.metadata.entry_points(group=self._group)}

    def _walk(self, folder: str, prefix: str) -> Iterator[str]:
        for info in pkgutil.iter_modules([folder]):
            if info.name.startswith("_"):
                continue
            if info.ispkg:
                yield from self._walk(str(Path(folder) / info.name), f"{prefix}{info.name}.")
            else:
                yield f"{prefix}{info.name}"


METRICS: Catalogue[Metric[Any, Any]] = Catalogue("ragtriage.metrics", Metric, what="metric", group="ragtriage.metrics")
SOURCES: Catalogue[TraceSource[Any, Any]] = Catalogue(
    "ragtriage.data.sources", TraceSource, what="source", group="ragtriage.sources"
)
FORMATS: Catalogue[ReportFormat[Any, Any]] = Catalogue(
    "ragtriage.report.formats", ReportFormat, what="report format", group="ragtriage.formats"
)
