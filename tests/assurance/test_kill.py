"""Rows 1, 2 and 11: a process may die or be interrupted at any moment; nothing finished is lost or asked again."""

from __future__ import annotations

import random
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.assurance.harness import Project, timeless, wait_for

from ragtriage.runs.store import FILE, RunStore

pytestmark = pytest.mark.timeout(7200)
CASES = 40
AT_ONCE = 3
DELAY_S = "0.03"


def durable(run: Path) -> frozenset[str]:
    """Return the ids of all questions with a trace, after checking the file as another program would."""
    if not (run / FILE).exists():
        return frozenset()
    with RunStore.open(run) as store:
        asked = {case_id for case_id, _ in store.asked()}
        read = [case_id for case_id, _ in store.traces()]
    connection = sqlite3.connect(f"file:{run / FILE}?mode=ro", uri=True)
    rows = [row[0] for row in connection.execute("SELECT case_id FROM cases")]
    connection.close()
    assert len(rows) == len(set(rows)) == len(read), "each id once"
    assert set(rows) == asked == set(read)
    return frozenset(asked)


@pytest.fixture
def undisturbed(project: Callable[[int], Project]) -> tuple[Project, dict[str, object]]:
    made = project(CASES)
    done = made.run("-o", str(made.folder / "undisturbed"), DELAY_S="0")
    assert done.returncode == 3, done.stderr
    (made.folder / "asked.log").unlink()
    return made, timeless(made.folder / "undisturbed" / "results.json")


def test_a_process_killed_at_any_moment_loses_nothing_and_asks_nothing_twice(
    undisturbed: tuple[Project, dict[str, object]], times: Callable[[int, int], int], figure: Callable[[int, str], None]
) -> None:
    project, expected = undisturbed
    kills, wanted, rounds, chance = 0, times(10, 100), 0, random.Random(20260101)
    worst = 0
    while kills < wanted:
        run, rounds = project.folder / f"run{rounds}", rounds + 1
        (project.folder / "asked.log").unlink(missing_ok=True)
        before: frozenset[str] = frozenset()
        returned = None
        while returned is None:
            told = len(project.asked())
            child = project.start("--resume", str(run), "-q", DELAY_S=DELAY_S)
            with child:
                if kills < wanted:
                    # Half of the kills fall anywhere, half while questions are under way.
                    if kills % 2:
                        wait_for(run / FILE)
                        time.sleep(chance.uniform(0, 0.6))
                    else:
                        time.sleep(chance.uniform(0, 2.5))
                    child.send_signal(signal.SIGKILL)
                child.wait()
            after, asked = durable(run), [line.split()[1] for line in project.asked()[told:]]
            assert before <= after, "a finished question was lost"
            failed = {f"c{n}" for n in range(CASES) if n % 7 == 3}
            assert not (before - failed) & set(asked), "an answered question was asked again"
            assert max(Counter(asked).values(), default=0) <= 1, "a question was asked twice in one attempt"
            lost = set(asked) - after
            worst = max(worst, len(lost))
            assert len(lost) <= AT_ONCE, "more answers were lost than questions were under way"
            before = after
            if child.returncode == -signal.SIGKILL:
                kills += 1
            else:
                returned = child.returncode
        assert returned == 3
        assert len(before) == CASES
        assert timeless(run / "results.json") == expected
    figure(1, f"{kills} kills over {rounds} runs: 0 finished questions lost, each id once, results equal")
    figure(2, f"{kills} kills: at most {worst} questions asked again per kill, {AT_ONCE} under way at once")


def test_ctrl_c_at_any_moment_ends_with_130_and_can_be_resumed(
    undisturbed: tuple[Project, dict[str, object]], times: Callable[[int, int], int], figure: Callable[[int, str], None]
) -> None:
    project, expected = undisturbed
    interrupts, wanted, rounds, chance = 0, times(5, 100), 0, random.Random(7)
    while interrupts < wanted:
        run, rounds = project.folder / f"run{rounds}", rounds + 1
        while True:
            before = durable(run)
            with project.start("--resume", str(run), "-q", DELAY_S=DELAY_S) as child:
                if interrupts < wanted:
                    wait_for(run / "run.lock", holding=f'"pid": {child.pid},')  # before that Python only starts
                    time.sleep(chance.uniform(0, 1.2))
                    child.send_signal(signal.SIGINT)
                _, told = child.communicate()
            assert before <= durable(run)
            if child.returncode != 130:
                break
            interrupts += 1
            assert "ragtriage: interrupted" in told
            assert "Traceback" not in told
        assert child.returncode == 3, told
        assert timeless(run / "results.json") == expected
    figure(11, f"{interrupts} interrupts over {rounds} runs: all resumable, exit 130, results equal")


def test_an_interrupted_run_says_so_and_can_be_looked_at(project: Callable[[int], Project]) -> None:
    made = project(CASES)
    run = made.folder / "run"
    with made.start("-o", str(run), "-q", DELAY_S="0.2") as child:
        end = time.monotonic() + 30
        while len(made.asked()) < AT_ONCE + 3 and time.monotonic() < end:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        _, told = child.communicate()
    assert child.returncode == 130
    assert f"Continue with --resume {run}" in told
    with RunStore.open(run) as store:
        assert store.status == "interrupted"
        assert 3 <= len(store.asked()) < CASES
    assert not (run / "results.json").exists()
