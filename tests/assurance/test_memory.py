"""Case B49: traces pass through one by one; how many there are does not show in memory."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from ragtriage.core.clock import FixedClock
from ragtriage.core.records import Case, Trace
from ragtriage.core.verdicts import Verdicts
from ragtriage.runs.execute import Item, Silent, Stop, execute
from ragtriage.runs.plan import Plan
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.store import RunStore
from ragtriage.runs.systems.traces import RecordedSystem, read_traces

AT_ONCE = 16


def alive() -> int:
    return sum(isinstance(found, Trace) for found in gc.get_objects())


def test_case_b49_no_more_traces_are_in_memory_than_questions_under_way(
    tmp_path: Path, shared: Callable[[str], Path]
) -> None:
    size = json.loads(shared("cases/inputs/B49.json").read_text())["generate"]["context_bytes_each"]
    cases = [Case(case_id=f"c{n}", question="?") for n in range(1000)]
    with (tmp_path / "traces.jsonl").open("w") as stream:
        for case in cases:
            context = [{"id": "d", "text": "x" * size}]
            line = {"trace_id": case.case_id, "case_id": case.case_id, "question": "?", "context": context}
            stream.write(json.dumps(line) + "\n")
    others = alive()  # traces that other tests of this process hold
    recorded = read_traces("traces.jsonl", base=tmp_path, cases=cases, repeat=1)
    most = 0

    def judge(case: Case, _: Trace) -> Verdicts:
        nonlocal most
        if int(case.case_id[1:]) % 50 == 0:
            most = max(most, alive() - others)
        return Verdicts(case_id=case.case_id, judge="fake", rubric="r")

    def items() -> Iterator[Item]:
        return (Item(case, number, trace) for case, number, trace in recorded.of(cases, repeat=1))

    with RunStore.create(tmp_path / "run", Plan({}, {}, "."), cases, None) as store:
        store.begin(at=datetime(2026, 1, 1, tzinfo=UTC))
        work = execute(
            items(),
            system=RecordedSystem("traces.jsonl"),
            store=store,
            judge=judge,
            concurrency=AT_ONCE,
            clock=FixedClock(),
            secrets=Secrets(),
            progress=Silent(),
            stop=Stop(),
        )
        asyncio.run(work)
    assert 0 < most <= 2 * AT_ONCE + 1
    with RunStore.open(tmp_path / "run") as store:
        read = 0
        for read, _ in enumerate(store.traces(), start=1):
            assert read % 250 or alive() - others <= 2
        assert read == len(cases)
