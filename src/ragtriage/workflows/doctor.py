"""What this installation can run, and whether a configuration finds all that it needs. Asks nobody; no network."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ragtriage.runs.writable import nearest_folder, storage_problem
from ragtriage.workflows.checks import Check
from ragtriage.workflows.doctor_configuration import configuration_checks
from ragtriage.workflows.installation import EXTRAS, Installation, Package, installation, pip_line
from ragtriage.workflows.planned import DEFAULT_OUTPUT

__all__ = ["Examination", "Terminal", "as_json", "as_lines", "examine"]

_SCHEMA = "ragtriage.doctor/1"
_NARROW = 80
_GIBIBYTE = 2**30


@dataclass(frozen=True, slots=True)
class Terminal:
    """What the output goes to: whether somebody looks, how wide it is, whether it is coloured, how it is encoded."""

    attended: bool
    columns: int
    colour: bool
    encoding: str


@dataclass(frozen=True, slots=True)
class Examination:
    """All that was looked at; `heading` names the installation."""

    heading: str
    checks: tuple[Check, ...]

    @property
    def faults(self) -> tuple[Check, ...]:
        """What keeps an evaluation from running."""
        return tuple(check for check in self.checks if check.state == "fault")


def examine(
    config: str | Path | None = None,
    *,
    terminal: Terminal,
    environment: Mapping[str, str],
    folder: Path | None = None,
    here: Installation | None = None,
) -> Examination:
    """Look at the installation and, where one is named, at a configuration; reads, imports, asks nothing.

    `folder`: where runs would be stored; `here`: the installation, this one unless another is given. What is wrong is
    a check of its own, so that all of it is told at once.
    """
    here = here or installation()
    checks = [*_installed(here), *_storage(folder or Path(DEFAULT_OUTPUT)), *_output(terminal)]
    if config is not None:
        checks += configuration_checks(Path(config), here=here, environment=environment)
    heading = f"ragtriage {here.version}, Python {here.python} ({sys.executable}), {here.system} {here.machine}"
    return Examination(heading, tuple(checks))


def as_lines(found: Examination) -> list[str]:
    """Return the examination in plain lines, one check after the other, grouped."""
    lines, group = [found.heading], ""
    width = max(len(check.name) for check in found.checks)
    for check in found.checks:
        if check.group != group:
            group = check.group
            lines += ["", group]
        lines.append(f"  {check.state:<7} {check.name:<{width}}  {check.found}")
        more = [*check.details, *([f"-> {check.remedy}"] if check.remedy else [])]
        lines += [f"  {'':<7} {'':<{width}}  {line}" for line in more]
    return lines


def as_json(found: Examination) -> str:
    """Return the examination as one JSON object; `ok` says whether anything keeps an evaluation from running."""
    document = {
        "schema": _SCHEMA,
        "ok": not found.faults,
        "heading": found.heading,
        "checks": [asdict(check) for check in found.checks],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _installed(here: Installation) -> Iterator[Check]:
    lacking = here.lacks(None)
    if lacking:
        yield Check("installation", "core", "fault", f"needs {_listed(lacking)}", remedy="pip install -U ragtriage")
    else:
        yield Check("installation", "core", "ok", _listed(here.of(None)))
    for extra in here.extras:
        yield _extra(here, extra)
    if here.embedder is None:
        told = "none: reference_rag has no vectors, and no BM25 either"
        yield Check("installation", "embedder", "absent", told, remedy=pip_line("reference"))
    else:
        yield Check("installation", "embedder", "ok", here.embedder)


def _extra(here: Installation, extra: str) -> Check:
    purpose = f"{EXTRAS[extra]}: " if extra in EXTRAS else ""
    packages, lacking = here.of(extra), here.lacks(extra)
    if not any(package.offered for package in packages):
        told = f"{purpose}{_listed(packages)} has no wheel for {here.system} {here.machine}"
        return Check("installation", extra, "absent", told)
    if lacking:
        return Check("installation", extra, "absent", f"{purpose}needs {_listed(lacking)}", remedy=pip_line(extra))
    return Check("installation", extra, "ok", f"{purpose}{_listed(packages)}")


def _listed(packages: tuple[Package, ...]) -> str:
    return ", ".join(_worded(package) for package in packages)


def _worded(package: Package) -> str:
    if package.fits or not package.offered:
        return f"{package.name} {package.installed}" if package.installed else package.name
    return f"{package.name}{package.needs}{f' and finds {package.installed}' if package.installed else ''}"


def _storage(folder: Path) -> Iterator[Check]:
    problem = storage_problem(folder)
    yield Check("storage", "sqlite", "ok", f"SQLite {sqlite3.sqlite_version}")
    if problem is None:
        free = shutil.disk_usage(nearest_folder(folder)).free / _GIBIBYTE
        told = f"{folder} can be written, with locks and a write-ahead log (WAL); {free:.1f} GiB free"
        yield Check("storage", "runs", "ok", told)
    else:
        yield Check("storage", "runs", "note", problem, remedy="name another folder with -o")


def _output(terminal: Terminal) -> Iterator[Check]:
    where = f"a terminal of {terminal.columns} columns" if terminal.attended else "a pipe or file"
    told = f"{where}, {'coloured' if terminal.colour else 'without colours'}, {terminal.encoding}"
    if terminal.encoding.lower().replace("-", "") != "utf8":
        yield Check("terminal", "output", "note", f"{told}: not every letter can be shown", remedy="set PYTHONUTF8=1")
    elif terminal.attended and terminal.columns < _NARROW:
        yield Check("terminal", "output", "note", f"{told}: tables are cut below {_NARROW}")
    else:
        yield Check("terminal", "output", "ok", told)
