"""Row 10: one writer a run folder, however many start at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.assurance.harness import Project, wait_for

WRITER = """
import sys
from pathlib import Path
from ragtriage.core.errors import StorageFailed
from ragtriage.runs.lock import FolderLock
print("ready", flush=True)
for line in sys.stdin:
    try:
        with FolderLock(Path(line.strip())):
            print("won", flush=True)
            sys.stdin.readline()
    except StorageFailed as refused:
        print(refused, flush=True)
"""
STARTED_AT_ONCE = 4


def say(child: subprocess.Popen[str], word: object = "") -> None:
    assert child.stdin is not None
    child.stdin.write(f"{word}\n")
    child.stdin.flush()


def heard(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def test_of_simultaneous_writers_one_wins_and_the_others_are_told_by_whom(
    tmp_path: Path, times: Callable[[int, int], int], figure: Callable[[int, str], None]
) -> None:
    rounds = times(20, 200)
    command = [sys.executable, "-c", WRITER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    children = [subprocess.Popen(command, **pipes) for _ in range(STARTED_AT_ONCE)]  # type: ignore[call-overload]
    assert [heard(child) for child in children] == ["ready"] * STARTED_AT_ONCE
    for number in range(rounds):
        for child in children:
            say(child, tmp_path / f"run{number}")
        said = {child.pid: heard(child) for child in children}
        (winner,) = [child for child in children if said[child.pid] == "won"]
        others = [word for pid, word in said.items() if pid != winner.pid]
        assert all(f"process {winner.pid} on " in word or "another process" in word for word in others)
        say(winner)
    for child in children:
        child.communicate()
    figure(10, f"{STARTED_AT_ONCE} writers at once, {rounds} times: one winner {rounds}/{rounds}")


def test_a_second_evaluation_of_the_same_folder_is_refused_with_exit_4_and_disturbs_nothing(
    project: Callable[[int], Project],
) -> None:
    made = project(12)
    run = made.folder / "run"
    with made.start("-o", str(run), "-q", DELAY_S="2.5") as first:
        wait_for(made.folder / "asked.log")
        second = made.run("-o", str(run), "-q")
        assert second.returncode == 4
        assert f"{run} is in use: process {first.pid} on " in second.stderr
        first.communicate()
    assert first.returncode == 3
    assert len(made.asked()) == 12
