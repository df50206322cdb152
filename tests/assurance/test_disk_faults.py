"""Row 3: any single disk failure ends the run with exit 4 and is survived by resuming."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from tests.assurance.harness import Project, timeless

pytestmark = pytest.mark.timeout(7200)
CALLS = {"pwrite64": 60, "fdatasync": 16, "rename": 8}  # as many as a run of five cases makes, and some more
ERRORS = ("ENOSPC", "EIO")


def injected(project: Project, run: str, *, call: str, what: str, number: int) -> subprocess.CompletedProcess[str]:
    rule = f"inject={call}:{what}:when={number}"
    command = project.command("-o", run, "-q", "-j", "1")
    return subprocess.run(
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", rule, *command],
        env=project.environment(STEADY="1", DELAY_S="0"),
        capture_output=True,
        text=True,
        check=False,
    )


def test_any_single_disk_failure_is_survived(
    project: Callable[[int], Project],
    capability: Callable[[str], None],
    times: Callable[[int, int], int],
    figure: Callable[[int, str], None],
) -> None:
    capability("strace")
    made = project(5)
    undisturbed = made.folder / "undisturbed"
    assert made.run("-o", str(undisturbed), "-q", STEADY="1").returncode == 0
    faults = (*(f"error={name}" for name in ERRORS), "signal=KILL")
    points = [(call, what, n) for call, most in CALLS.items() for what in faults for n in range(1, most + 1)]
    few = [("pwrite64", "error=ENOSPC", 9), ("fdatasync", "error=EIO", 7), ("rename", "signal=KILL", 3)]
    hit = 0
    for call, what, number in few if times(len(few), len(points)) == len(few) else points:
        run = made.folder / f"{call}-{what}-{number}"
        done = injected(made, str(run), call=call, what=what, number=number)
        assert "Traceback" not in done.stderr
        assert done.returncode in {0, 4, -9, 137}, done.stderr
        hit += done.returncode != 0
        resumed = made.run("--resume", str(run), "-q", "-j", "1", STEADY="1")
        assert resumed.returncode == 0, resumed.stderr
        assert timeless(run / "results.json") == timeless(undisturbed / "results.json")
    assert hit > 0
    figure(3, f"{hit} failures injected into {', '.join(CALLS)} ({', '.join(ERRORS)}, KILL): all survived by resuming")


@pytest.mark.parametrize("call", ["pwrite64"])
def test_a_full_disk_leaves_nothing_half_written(
    project: Callable[[int], Project], capability: Callable[[str], None], call: str
) -> None:
    capability("strace")
    made = project(5)
    done = injected(made, str(made.folder / "run"), call=call, what="error=ENOSPC", number=12)
    assert done.returncode == 4, done.stderr
    assert not (made.folder / "run" / "results.json").exists()
    assert len(made.asked()) <= 5
