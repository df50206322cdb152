"""Rows 3 and 4 in small: a disk that takes no more stops the asking at once, and the run can be resumed."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable

import pytest
from tests.assurance.harness import Project, timeless

from ragtriage.runs.store import RunStore

ROOMS_KIB = [192, 64, 128, 160, 256]  # the smallest do not even hold the plan


@pytest.mark.parametrize("place", range(len(ROOMS_KIB)))
def test_a_file_that_may_not_grow_ends_the_run_and_loses_nothing(
    project: Callable[[int], Project], times: Callable[[int, int], int], place: int
) -> None:
    if place >= times(1, len(ROOMS_KIB)):
        pytest.skip("a full count, run by `make assurance`")
    made, room_kib = project(40), ROOMS_KIB[place]
    run = made.folder / "run"

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room_kib * 1024, room_kib * 1024))

    done = subprocess.run(
        made.command("-o", str(run), "-q"),
        env=made.environment(STEADY="1"),
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
    kept = 0
    if RunStore.exists(run):
        with RunStore.open(run) as store:
            kept = len(store.finished())
    assert len(made.asked()) - kept <= 3 + 3  # under way, and those of the batch that met the end of the room
    again = made.run("--resume", str(run), "-q", STEADY="1")
    assert again.returncode == 0, again.stderr
    assert len(timeless(run / "results.json")["cases"]) == 40
