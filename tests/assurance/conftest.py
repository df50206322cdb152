"""Counts are small in `make test` and full with RAGTRIAGE_ASSURANCE=full, which also writes `docs/assurance.md`.

Children run a copy of the library, so that its identity stays what it was however long the tests take.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.assurance.harness import FULL, SRC, Project, write_project

FIGURES = pytest.StashKey[list[tuple[int, str, str]]]()


@pytest.fixture(scope="session")
def times() -> Callable[[int, int], int]:
    """Choose a count: a small one in `make test`, the full one in `make assurance`."""
    return lambda small, many: many if FULL else small


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Callable[[int, str], None]:
    """Note what was measured for a row of the table of promises."""
    known = request.config.stash.setdefault(FIGURES, [])
    return lambda row, text: known.append((row, text, request.node.name))


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the library that nobody edits while a run is interrupted and resumed."""
    copy = tmp_path_factory.mktemp("library")
    shutil.copytree(SRC / "ragtriage", copy / "ragtriage")
    return copy


@pytest.fixture
def project(tmp_path: Path, library: Path) -> Callable[[int], Project]:
    """Make a project with so many cases."""

    def make(cases: int) -> Project:
        folder = tmp_path / "project"
        write_project(folder, cases=cases)
        return Project(folder, library)

    return make


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the table of figures after a full run that passed."""
    found = session.config.stash.get(FIGURES, [])
    if not FULL or exitstatus != 0 or not found:
        return
    rows = "".join(f"| {row} | {text} | `{name}` |\n" for row, text, name in sorted(found))
    head = "# What may never go wrong: measured\n\nWritten by `make assurance`; rows as in the table of promises.\n\n"
    target = SRC.parent / "docs" / "assurance.md"
    target.write_text(f"{head}| row | figure | test |\n|---|---|---|\n{rows}", encoding="utf-8")
