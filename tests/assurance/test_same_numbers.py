"""Row 16: same input, same numbers, whatever the number of workers, the hash seed, the time zone or the locale."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tests.assurance.harness import Project, timeless

from ragtriage.core.results import TIME_DEPENDENT_METRICS
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.rescore import rescore


def comparable(project: Project, run: str) -> bytes:
    """The bytes of a results.json with the fields that its schema marks put at fixed values."""
    path = project.folder / run / "results.json"
    text = path.read_text()
    results = json.loads(text)
    text = text.replace(results["run_id"], "RUN")
    rows = [row for row in results["metrics"] if row["name"] in TIME_DEPENDENT_METRICS]
    assert rows
    return json.dumps({"text": _without_latency(text), "timeless": timeless(path)}).encode()


def _without_latency(text: str) -> list[str]:
    """Drop the lines of rows whose metric depends on time; every other line is compared as it stands."""
    timed = tuple(f'    {{"name": "{name}"' for name in TIME_DEPENDENT_METRICS)
    return [line for line in text.splitlines() if not line.startswith(timed)]


@pytest.mark.parametrize("other", [2, 8])
def test_more_workers_give_the_same_bytes(project: Callable[[int], Project], other: int) -> None:
    made = project(16)
    evaluate(made.configuration, output=made.folder / "one", jobs=1, environment={})
    evaluate(made.configuration, output=made.folder / "more", jobs=other, environment={})
    assert comparable(made, "one") == comparable(made, "more")


def test_scoring_again_gives_the_same_bytes_and_asks_nobody(project: Callable[[int], Project]) -> None:
    made = project(16)
    first = evaluate(made.configuration, output=made.folder / "run", environment={})
    names = ("results.json", "report.md", "scores.parquet", "junit.xml")
    before = {name: (made.folder / "run" / name).read_bytes() for name in names}
    asked = made.asked()
    again = rescore(made.folder / "run")
    assert made.asked() == asked
    assert again.results == first.results
    assert {name: (made.folder / "run" / name).read_bytes() for name in names} == before


def test_hash_seed_time_zone_and_locale_change_nothing(
    project: Callable[[int], Project], times: Callable[[int, int], int], figure: Callable[[int, str], None]
) -> None:
    made = project(16)
    surroundings = [
        {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8"},
        {"PYTHONHASHSEED": "42", "TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8"},
        *({"PYTHONHASHSEED": str(seed), "TZ": "Asia/Almaty"} for seed in range(100, 112)),
    ][: times(2, 15)]
    found = []
    for number, environment in enumerate(surroundings):
        done = made.run("-o", str(made.folder / f"run{number}"), "-q", "-j", str(1 + number), **environment)
        assert done.returncode == 3, done.stderr
        found.append(comparable(made, f"run{number}"))
    assert len(set(found)) == 1
    figure(16, f"{len(found)} surroundings (workers, hash seeds, time zones, locales): results.json equal")
