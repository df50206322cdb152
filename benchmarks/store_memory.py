"""Peak memory of executing and storing recorded traces (case B49): 10,000 against 100,000 traces of 4 kB.

    .venv/bin/python benchmarks/store_memory.py

Each size runs in a process of its own. The golden set is in memory as a whole, some 0.9 kB a case, and is told apart;
traces pass through one by one.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from ragtriage.core.clock import SystemClock
from ragtriage.core.records import Case
from ragtriage.runs.execute import Item, Silent, Stop, execute
from ragtriage.runs.plan import Plan
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.store import RunStore
from ragtriage.runs.systems.traces import RecordedSystem, read_traces

CONTEXT = "x" * 4000
SIZES = (10_000, 100_000)


def write(folder: Path, count: int) -> None:
    """Write recorded traces, one line each."""
    with (folder / "traces.jsonl").open("w") as stream:
        for number in range(count):
            line = {
                "trace_id": f"t{number}",
                "case_id": f"c{number}",
                "question": "?",
                "context": [{"id": "d", "text": CONTEXT}],
                "answer": {"text": f"answer {number}"},
            }
            stream.write(json.dumps(line) + "\n")


def resident_mb() -> float:
    """Return what the process holds in memory now (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def run(folder: Path, count: int) -> None:
    """Store them all and print what it took."""
    before = resident_mb()
    cases = [Case(case_id=f"c{number}", question="?") for number in range(count)]
    golden, started = resident_mb() - before, time.monotonic()
    recorded = read_traces("traces.jsonl", base=folder, cases=cases, repeat=1)

    def items() -> Iterator[Item]:
        return (Item(case, number, trace) for case, number, trace in recorded.of(cases, repeat=1))

    with RunStore.create(folder / "run", Plan({}, {}, "."), cases, None) as store:
        store.begin(at=datetime.now(UTC))
        asyncio.run(
            execute(
                items(),
                system=RecordedSystem("traces.jsonl"),
                store=store,
                judge=None,
                concurrency=64,
                clock=SystemClock(),
                secrets=Secrets(),
                progress=Silent(),
                stop=Stop(),
            )
        )
        store.end("complete")
    with RunStore.open(folder / "run") as store:
        read = sum(1 for _ in store.traces())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told = {"traces": read, "peak_mb": round(peak), "golden_mb": round(golden), "rest_mb": round(peak - golden)}
    sys.stdout.write(json.dumps({**told, "seconds": round(time.monotonic() - started, 1)}) + "\n")


def main() -> None:
    """Run each size in a process of its own."""
    if len(sys.argv) > 1:
        run(Path(sys.argv[1]), int(sys.argv[2]))
        return
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), size)
            subprocess.run([sys.executable, __file__, folder, str(size)], check=True)  # noqa: S603 - ourselves


if __name__ == "__main__":
    main()
