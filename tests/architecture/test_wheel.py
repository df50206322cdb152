"""Row 25: what is installed is what was built: equal builds, everything in it that runs, nothing else."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ragtriage.core.catalogue import METRICS

EPOCH = "1700000000"


@pytest.fixture(scope="module")
def wheels(root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two builds of the same tree, at different places and under different surroundings."""
    built = []
    for number, more in enumerate(({"TZ": "UTC", "PYTHONHASHSEED": "1"}, {"TZ": "Asia/Almaty", "PYTHONHASHSEED": "2"})):
        folder = tmp_path_factory.mktemp(f"wheel{number}")
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH, **more}
        subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)
        built += folder.glob("*.whl")
    return built


def test_two_builds_are_equal_byte_for_byte(wheels: list[Path]) -> None:
    first, second = (hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels)
    assert first == second


def test_the_wheel_holds_all_that_the_packages_hold_and_the_examples_and_nothing_else(
    wheels: list[Path], root: Path
) -> None:
    with zipfile.ZipFile(wheels[0]) as archive:
        names = set(archive.namelist())
    ours = {path.relative_to(root / "src").as_posix() for path in (root / "src").rglob("*") if path.is_file()}
    ours = {name for name in ours if "__pycache__" not in name}
    copied = {
        f"ragtriage/examples/{path.relative_to(root / 'examples').as_posix()}"
        for example in ("bank", "quickstart")
        for path in (root / "examples" / example).rglob("*")
        if path.is_file() and not {"runs", "__pycache__", ".cache"} & set(path.parts)
    }
    others = {name for name in names - ours - copied if not name.startswith("ragtriage-")}
    assert not others
    assert ours | copied <= names
    assert {"ragtriage/py.typed", "reference_rag/py.typed", "ragtriage/judges/rubrics/claim_support.toml"} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_what_was_built_runs_by_itself(wheels: list[Path], tmp_path: Path) -> None:
    """From an unpacked wheel alone: it lists its metrics, starts a project, evaluates it and draws the report."""
    with zipfile.ZipFile(wheels[0]) as archive:
        archive.extractall(tmp_path / "installed")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed"), "CI": "1"}

    def ragtriage(*words: str) -> str:
        program = "import ragtriage.cli.main as m, sys; assert 'installed' in m.__file__, m.__file__; m.main()"
        command = [sys.executable, "-c", program, *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert ragtriage("metrics", "--format", "plain").split() == list(METRICS.names())
    ragtriage("init", "project", "--quiet")
    ragtriage("eval", "-c", "project/ragtriage.toml", "-o", "run", "-q", "--no-gate")
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000
    ragtriage("init", "bank", "--template", "bank", "--quiet")
    assert (tmp_path / "bank" / "golden" / "cases.jsonl").exists()
