"""The identity of everything that makes a number, one line a field; what differs between two runs is read from it."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.metadata
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtriage.core.configuration import Configuration
from ragtriage.core.files import read_bytes
from ragtriage.core.identity import canonical, hash_bytes, hash_json
from ragtriage.core.records import Case, Chunk

__all__ = ["code_of", "files_hash", "make_bundle", "settings_bundle", "system_bundle"]

_LOCKS = ("requirements.lock", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pixi.lock")
_MAX_FILES = 2000


def make_bundle(
    settings: Configuration,
    *,
    base: Path,
    corpus: str,
    golden: str,
    cases: Sequence[Case],
    metrics: Sequence[str],
    system: Mapping[str, str],
    chunks: Sequence[Chunk] | None,
    judge: Mapping[str, str],
    given: Mapping[str, str] | None = None,
    ontology: str | None = None,
) -> dict[str, str]:
    """Put the fields together; every value is short text, contents stand as their hash."""
    listed = None if chunks is None else [chunk.model_dump(mode="json", exclude_defaults=True) for chunk in chunks]
    return {
        "corpus": corpus,
        "golden": golden,
        "cases": f"{len(cases)} {hash_json([case.case_id for case in cases])}",
        **{f"system.{name}": value for name, value in sorted(system.items())},
        **dict(sorted((given or {}).items())),
        **({} if ontology is None else {"ontology": ontology}),
        "chunks": "not listed" if listed is None else f"{len(listed)} {hash_json(listed)}",
        **{f"judge.{name}": value for name, value in sorted(judge.items())},
        "metrics": f"{len(metrics)} {hash_json(list(metrics))}",
        **settings_bundle(settings),
        "code": code_of("ragtriage", importlib.metadata.version("ragtriage")),
        "lock": _lock_hash(base),
    }


def settings_bundle(settings: Configuration) -> dict[str, str]:
    """Return the settings that change what is measured; the gate's limits only decide and are left out."""
    parts = {
        "expect": settings.expect.model_dump(mode="json"),
        "golden": settings.golden.model_dump(mode="json", exclude={"path", "source", "split", "grade_map"}),
        "query": settings.query.model_dump(mode="json"),
        "run": settings.run.model_dump(mode="json"),
        "slices": settings.slices.model_dump(mode="json"),
        "system": {"context_size": settings.system.context_size, "timeout_s": settings.system.timeout_s},
    }
    return {f"settings.{part}.{name}": _plain(v) for part, fields in parts.items() for name, v in fields.items()}


def system_bundle(settings: Configuration, *, base: Path, told: Mapping[str, str]) -> dict[str, str]:
    """Return the identity of the system: where it is, its factors, its code, and what it tells of its own parts."""
    system = settings.system
    found = {f"told.{name}": value for name, value in told.items()}
    if system.python is not None:
        found["python"] = system.python
        found.update({f"factor.{name}": _plain(value) for name, value in system.factors.items()})
        found["code"] = code_of(system.python.partition(":")[0].partition(".")[0], base=base)
    if system.http is not None:
        found["http"] = f"{system.http.method} {system.http.url}"
        found["http.request"] = hash_json([system.http.body, system.http.headers, system.http.fields])
    if system.traces is not None:
        found["traces"] = system.traces
    return found


def code_of(package: str, version: str = "", *, base: Path | None = None) -> str:
    """Return the hash of a package's Python source, whose change makes other numbers; its version in front.

    The package is looked for in the folder `base` first, without being imported.
    """
    places = [*([str(base.resolve())] if base is not None else []), *sys.path]  # a finder keeps what '.' once meant
    spec = importlib.machinery.PathFinder.find_spec(package, places)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if folders:
        files = sorted(path for folder in folders for path in Path(folder).rglob("*.py"))[:_MAX_FILES]
        digest = files_hash((path.as_posix().rpartition(f"/{package}/")[2], path) for path in files)
    elif spec is not None and spec.origin is not None and Path(spec.origin).is_file():
        digest = hash_bytes(read_bytes(Path(spec.origin)))
    else:
        digest = "unknown"
    return f"{version} {digest}".strip()


def files_hash(files: Iterable[tuple[str, Path]]) -> str:
    """Return one hash for files, each given with the name that counts."""
    digest = hashlib.sha256()
    for name, path in files:
        digest.update(f"{name}\0{hash_bytes(read_bytes(path))}\n".encode())
    return digest.hexdigest()


def _lock_hash(base: Path) -> str:
    """Return the hash of the nearest lock file at or above the configuration, up to the repository's root."""
    for folder in (base.resolve(), *base.resolve().parents):
        for name in _LOCKS:
            if (folder / name).is_file():
                return f"{name} {hash_bytes(read_bytes(folder / name))}"
        if (folder / ".git").exists():
            break
    return "none"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)
