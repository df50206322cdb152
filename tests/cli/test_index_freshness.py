"""`ragtriage index freshness`, as a process against a real HTTP index on loopback that shows changes late."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.workflows.test_index_freshness import KEY, Late, serving, write_description

from ragtriage.data.index_changes import read_changes

COMMAND = [sys.executable, "-c", "from ragtriage.cli.main import main; main()", "index", "freshness"]


@pytest.fixture
def index_toml(tmp_path: Path) -> Callable[[str], Path]:
    return partial(write_description, tmp_path / "index.toml")


def freshness(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd, env={**os.environ, "INDEX_KEY": KEY}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def numbers(done: subprocess.CompletedProcess[str]) -> dict[str, float | None]:
    return {name: score["value"] for name, score in json.loads(done.stdout)["metrics"].items()}


def test_the_file_holds_the_lags_that_are_printed(index_toml: Callable[[str], Path], tmp_path: Path) -> None:
    index = Late(lag_s=0.15)
    with serving(index) as base:
        arguments = ("--markers", 3, "--pause", 0.01, "-o", "out/changes.jsonl", "--format", "json")
        done = freshness(index_toml(base), *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    changes = read_changes(tmp_path / "out" / "changes.jsonl")
    assert [change.kind for change in changes] == ["written", "deleted"] * 3
    lags = {kind: sorted(c.lag_ms for c in changes if c.kind == kind and c.lag_ms is not None)
            for kind in ("written", "deleted")}  # fmt: skip
    assert all(lag >= 100 for one in lags.values() for lag in one)  # the reply took part of the 150 ms
    found = numbers(done)
    assert found["ingest.freshness_lag"] == pytest.approx(lags["written"][1], abs=0.001)
    assert found["ingest.deletion_lag"] == pytest.approx(lags["deleted"][1], abs=0.001)
    assert found["ingest.unseen_changes"] == 0.0
    assert "wrote out/changes.jsonl" in done.stderr
    assert set(index.until) == set(index.texts)
    assert KEY not in (tmp_path / "out" / "changes.jsonl").read_text()


def test_a_marker_that_stays_is_shouted_out_and_no_other_is_written(
    index_toml: Callable[[str], Path], tmp_path: Path
) -> None:
    index = Late(delete_status=403)
    with serving(index) as base:
        done = freshness(index_toml(base), "--markers", 4, "-o", "c.jsonl", "-q", cwd=tmp_path)
    (marker,) = index.texts
    assert done.returncode == 5
    assert done.stderr == f"ragtriage: WARNING: 1 marker may be left in the index, delete by hand: {marker}\n"
    written, refused = read_changes(tmp_path / "c.jsonl")
    assert (written.kind, written.lag_ms is not None) == ("written", True)
    assert refused.failure is not None
    assert (refused.kind, refused.failure.error) == ("deleted", "HTTP403")


def test_changes_that_come_too_late_are_counted_and_named(index_toml: Callable[[str], Path], tmp_path: Path) -> None:
    with serving(Late(lag_s=30)) as base:
        arguments = ("--markers", 2, "--deadline", 0.3, "-o", "c.jsonl")
        done = freshness(index_toml(base), *arguments, cwd=tmp_path)
    assert done.returncode == 0
    assert [(change.kind, change.lag_ms, change.deadline_ms) for change in read_changes(tmp_path / "c.jsonl")] == [
        ("written", None, 300.0)
    ] * 2
    assert "2 of 2 changes were not seen within their deadline (300 ms)" in done.stdout


def test_an_index_that_takes_nothing_is_recorded_and_ends_undecided(
    index_toml: Callable[[str], Path], tmp_path: Path
) -> None:
    with serving(Late(write_status=422, delete_status=404)) as base:
        done = freshness(index_toml(base), "--markers", 2, "-o", "c.jsonl", cwd=tmp_path)
    assert done.returncode == 3
    assert "2 changes were refused, first HTTP422" in done.stderr
    assert "WARNING" not in done.stderr
    assert [change.failure is not None for change in read_changes(tmp_path / "c.jsonl")] == [True, True]


def test_an_index_that_is_not_there_or_not_described_leaves_no_file(
    index_toml: Callable[[str], Path], tmp_path: Path
) -> None:
    gone = freshness(index_toml("http://127.0.0.1:9"), "-o", "c.jsonl", cwd=tmp_path)
    assert (gone.returncode, "the index is not reached" in gone.stderr) == (5, True)
    (tmp_path / "bad.toml").write_text('[write]\nurl = "ftp://x"\n')
    bad = freshness("bad.toml", "-o", "c.jsonl", cwd=tmp_path)
    assert (bad.returncode, "bad.toml has 2 faults" in bad.stderr) == (2, True)
    assert not (tmp_path / "c.jsonl").exists()


def test_an_output_that_cannot_be_written_is_told_before_the_index_is_touched(
    index_toml: Callable[[str], Path], tmp_path: Path
) -> None:
    index = Late()
    with serving(index) as base:
        described = index_toml(base)
        own = freshness(described, "-o", described, cwd=tmp_path)
        folder = freshness(described, "-o", tmp_path, cwd=tmp_path)
        below = freshness(described, "-o", described / "c.jsonl", cwd=tmp_path)
    assert [done.returncode for done in (own, folder, below)] == [2, 4, 4]
    assert "is read: name another file to write" in own.stderr
    assert index.texts == {}


@pytest.mark.parametrize("refused", [False, True])
def test_ctrl_c_takes_the_marker_out_or_names_it_and_writes_no_file(
    index_toml: Callable[[str], Path],
    tmp_path: Path,
    refused: bool,  # noqa: FBT001 - a column of the table above
) -> None:
    index = Late(lag_s=100, delete_status=403 if refused else 204)
    with serving(index) as base:
        process = subprocess.Popen(
            [*COMMAND, str(index_toml(base)), "-o", "c.jsonl"],
            cwd=tmp_path, env={**os.environ, "INDEX_KEY": KEY}, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while not index.texts and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    (marker,) = index.texts
    assert (process.returncode, f"delete by hand: {marker}" in said) == ((5, True) if refused else (130, False)), said
    assert marker in index.until  # the deletion was asked for
    assert not (tmp_path / "c.jsonl").exists()
