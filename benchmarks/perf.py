"""Writes docs/performance.md: what others need for the same work, as ratios to what ragtriage needs.

Each piece of work runs in fresh processes, ours and theirs by turns, and the values of both are compared before any
time counts. `--peers` is the Python of an environment that holds the others and not ragtriage. CPU seconds of one
thread are measured, as wall time says little on a machine with other work; its load is told.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import perf_work

__all__: list[str] = []

_HERE = Path(__file__).parent
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
_VERSIONS = (
    "import importlib.metadata as m, json, sys; names = sys.argv[1:];"
    "print(json.dumps({n: m.version(n) for n in names if any(d.name.lower() == n for d in m.distributions())}))"
)


def _near(tolerance: float) -> Callable[[Sequence[float], Sequence[float]], str]:
    def check(ours: Sequence[float], theirs: Sequence[float]) -> str:
        if len(ours) != len(theirs):
            raise SystemExit(f"{len(ours)} values are held against {len(theirs)}")
        apart = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
        if apart > tolerance:
            raise SystemExit(f"the values differ by {apart}, which is more than {tolerance}")
        return "equal" if apart == 0 else f"equal to {apart:.0e}"

    return check


def _none_missed(ours: Sequence[float], theirs: Sequence[float]) -> str:
    _, planted = perf_work.corpus(20_000, 150)
    missed, wrong = len(planted - set(ours)), len(set(ours) - planted)
    if missed or wrong:
        raise SystemExit(f"{missed} of the planted copies are missed, and {wrong} documents are no copies")
    return f"all {len(planted):,} found, none wrong; theirs finds {len(planted & set(theirs)):,}"


@dataclass
class Work:
    """A piece of work. `ours`: the rows of the table, each with how it runs and the ratio that it aims at."""

    name: str
    given: str
    peer: str
    ours: dict[str, tuple[tuple[str, ...], float | None]]
    check: Callable[[Sequence[float], Sequence[float]], str]
    most: int = 99
    seconds: dict[str, list[float]] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)


def _all() -> list[Work]:
    def teds(shape: str, count: int, aims: tuple[float | None, float | None], most: int = 99) -> Work:
        ours = {"with numba": ((), aims[0]), "without": (("plain",), aims[1])}
        plural = "tables" if count > 1 else "table"
        return Work(f"teds:{shape}*{count}", f"TEDS, {count} {plural} of {shape}", "apted", ours, _near(1e-6), most)

    return [
        teds("10x5", 20, (None, None)),
        teds("30x10", 4, (150, 20)),
        teds("60x15", 1, (None, None), 3),
        Work("duplicates", "Near-duplicates among 20,000 documents of 150 words", "datasketch",
             {"": ((), 5)}, _none_missed),
        Work("cer", "CER, 1,000 documents of 5,000 characters", "jiwer", {"": ((), 2.8)}, _near(0)),
        Work("wer", "WER, 1,000 documents of 5,000 characters", "jiwer", {"": ((), 3.5)}, _near(0)),
    ]  # fmt: skip


def _run(python: str, script: str, *arguments: str) -> tuple[float, list[float]]:
    done = subprocess.run(  # noqa: S603 - our own script
        [python, str(_HERE / script), *arguments],
        env={**os.environ, **_ONE_THREAD}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{script} {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
    result = json.loads(done.stdout)
    return result["seconds"], result["values"]


def _measure(work: Work, peers: str, rounds: int) -> None:
    for _ in range(min(rounds, work.most)):
        spent, theirs = _run(peers, "perf_peers.py", work.name)
        work.seconds.setdefault(work.peer, []).append(spent)
        for row, (how, _) in work.ours.items():
            spent, ours = _run(sys.executable, "perf_ours.py", work.name, *how)
            work.said[row] = work.check(ours, theirs)
            work.seconds.setdefault(row, []).append(spent)


def _versions(python: str, *names: str) -> str:
    command = [python, "-c", _VERSIONS, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return ", ".join(f"{name} {version}" for name, version in json.loads(done.stdout).items())


def _machine() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    python = f"Python {platform.python_version()}"
    return f"{model or platform.machine()}, {os.cpu_count()} cores, {platform.system()}, {python}"


def _row(work: Work, row: str) -> str:
    theirs, ours = statistics.median(work.seconds[work.peer]), statistics.median(work.seconds[row])
    aim = work.ours[row][1]
    ratios = sorted(a / b for a, b in zip(work.seconds[work.peer], work.seconds[row], strict=True))
    cells = (
        f"{work.given}{f', {row}' if row else ''}", work.peer, len(ratios), f"{1000 * theirs:,.1f}",
        f"{1000 * ours:,.1f}", f"**{theirs / ours:.1f}x**", f"{ratios[0]:.1f} - {ratios[-1]:.1f}",
        f"{aim:g}x" if aim else "", work.said[row],
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def _page(works: Sequence[Work], peers: str, load: tuple[float, float]) -> str:
    rows = "\n".join(_row(work, row) for work in works for row in work.ours)
    ours = _versions(sys.executable, "ragtriage", "numpy", "numba", "rapidfuzz")
    theirs = _versions(peers, "apted", "datasketch", "jiwer", "lxml", "rapidfuzz", "numpy")
    return f"""# Performance

Written by `make perf`; do not edit. Ratios say how many times the CPU time that ragtriage needs another package needs
for the same work on the same machine. Only values that agree are timed.

| work | against | n | their CPU ms | our CPU ms | ratio | lowest - highest | aim | values |
|---|---|---|---|---|---|---|---|---|
{rows}

- Medians of n rounds; ratio: of the medians; lowest - highest: of the rounds. Each round runs theirs and ours by turns,
  in a fresh process each, on one thread, and as often as half a second of CPU time takes. Loading, compiling and making
  the work are not timed.
- Machine: {_machine()}. Load while it ran: {load[0]:.1f} at the start, {load[1]:.1f} at the end (1 minute).
- Ours: {ours}. Theirs, in an environment of their own: {theirs}.
- TEDS: from HTML to a value. apted is used as PubTabNet does, with lxml and rapidfuzz. Numba takes about a second once
  a process to load and compile, which pays from some 40 tables of 30 x 10 on.
- Near-duplicates: from texts to the documents that repeat an earlier one, threshold 0.7, word triples, 128
  permutations, a fifth planted. Ours verifies each pair by exact Jaccard; theirs does not.
- CER and WER: the metrics themselves, one document at a time, against `jiwer.cer` and `jiwer.wer`.
"""


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", required=True, help="the Python of the environment of the others")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    works = _all()
    before = os.getloadavg()[0]
    for work in works:
        _measure(work, given.peers, given.rounds)
        for row in work.ours:
            print(_row(work, row), flush=True)
    given.output.write_text(_page(works, given.peers, (before, os.getloadavg()[0])), encoding="utf-8")


if __name__ == "__main__":
    _main()
