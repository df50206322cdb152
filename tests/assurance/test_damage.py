"""Row 5: a damaged run file is never guessed at, never changed, never deleted."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragtriage.core.errors import StorageFailed
from ragtriage.core.records import Case, Trace
from ragtriage.core.score import Failed
from ragtriage.core.verdicts import Verdicts
from ragtriage.runs.plan import Plan
from ragtriage.runs.store import FILE, Finished, RunStore

PAGE = 4096
TEXT = "Депозит «Арлан» приносит 12,5 % в год; ұзақтығы 13 ай. " * 20


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, frozenset[str]]:
    """The bytes of a finished run file and everything that can be read from it."""
    folder = tmp_path_factory.mktemp("whole")
    cases = [Case(case_id=f"c{n}", question=f"{n}? {TEXT}") for n in range(30)]
    with RunStore.create(folder, Plan({"seed": "1"}, {"golden": {"path": "g"}}, base="."), cases, None) as store:
        store.begin(at=datetime(2026, 1, 1, tzinfo=UTC))
        for case in cases:
            trace = Trace(trace_id=case.case_id, case_id=case.case_id, question=case.question)
            verdicts = Verdicts(case_id=case.case_id, judge="lexical", rubric="r")
            failed = Failed("system", "ValueError", case.case_id) if case.case_id == "c7" else None
            done = Finished(case.case_id, 0, trace.model_dump_json(), verdicts.model_dump_json(), failed)
            store.add([done])
        store.end("complete")
    return (folder / FILE).read_bytes(), contents(folder)


def contents(folder: Path) -> frozenset[str]:
    """Read every record of a run."""
    with RunStore.open(folder, writable=True) as store:
        return frozenset(
            [
                *(case.model_dump_json() for case in store.cases()),
                *(f"{name} {trace.model_dump_json()}" for name, trace in store.traces()),
                *(f"{name} {verdicts.model_dump_json()}" for name, verdicts in store.verdicts()),
                *(f"{name} {failed}" for name, failed in store.failures().items()),
                *(f"finished {name}" for name, _ in store.finished()),
                f"{store.plan} {store.status} {store.chunks()}",
            ]
        )


def truncations(content: bytes) -> Iterator[bytes]:
    for end in range(0, len(content), PAGE):
        yield content[:end]
        yield content[: end + 100]
        yield content[: end + PAGE - 1]


def flips(content: bytes, *, count: int) -> Iterator[bytes]:
    chance = random.Random(5)
    header = [(place, bit) for place in range(100) for bit in range(8)]
    anywhere = [(chance.randrange(len(content)), chance.randrange(8)) for _ in range(count)]
    for place, bit in (*chance.sample(header, min(len(header), count)), *anywhere):
        changed = bytearray(content)
        changed[place] ^= 1 << bit
        yield bytes(changed)


def junk(content: bytes, *, count: int) -> Iterator[bytes]:
    chance = random.Random(6)
    for _ in range(count):
        changed = bytearray(content)
        start, size = chance.randrange(len(content)), chance.choice([1, 8, 100, PAGE])
        filler = chance.choice([b"\0", b"\xff", chance.randbytes(1)])
        changed[start : start + size] = (filler * size)[: len(content) - start]
        yield bytes(changed)
    yield b""
    yield chance.randbytes(len(content))
    yield content + chance.randbytes(PAGE)


DAMAGE: dict[str, Callable[[bytes, int], Iterator[bytes]]] = {
    "truncated": lambda content, _: truncations(content),
    "bit flips": lambda content, count: flips(content, count=count),
    "junk": lambda content, count: junk(content, count=count),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_file_is_refused_or_reads_as_it_was_written(
    kind: str,
    whole: tuple[bytes, frozenset[str]],
    tmp_path: Path,
    times: Callable[[int, int], int],
    figure: Callable[[int, str], None],
) -> None:
    content, expected = whole
    refused = harmless = 0
    for number, damaged in enumerate(DAMAGE[kind](content, times(200, 5000))):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / FILE).write_bytes(damaged)
        try:
            found = contents(folder)
        except StorageFailed:
            refused += 1
            assert (folder / FILE).read_bytes() == damaged, "a damaged file was changed"
        else:
            harmless += 1
            assert found == expected, "a record was invented or lost in silence"
    assert refused > 0
    figure(5, f"{kind}: {refused} refused and left as they were, {harmless} read as written, 0 invented records")


def test_a_damaged_log_of_a_killed_run_invents_nothing(
    tmp_path: Path, times: Callable[[int, int], int], figure: Callable[[int, str], None]
) -> None:
    cases = [Case(case_id=f"c{n}", question=f"{n}? {TEXT}") for n in range(12)]
    with RunStore.create(tmp_path / "live", Plan({"seed": "1"}, {}, base="."), cases, None) as store:
        store.begin(at=datetime(2026, 1, 1, tzinfo=UTC))
        for case in cases:
            trace = Trace(trace_id=case.case_id, case_id=case.case_id, question=case.question)
            store.add([Finished(case.case_id, 0, trace.model_dump_json())])
        main, log = ((tmp_path / "live" / name).read_bytes() for name in (FILE, f"{FILE}-wal"))
    assert len(log) > PAGE
    expected = {f"{case.case_id}: {case.question}" for case in cases}
    refused = fewer = 0
    damaged = [*truncations(log), *flips(log, count=times(100, 3000)), *junk(log, count=times(50, 2000))]
    for number, changed in enumerate(damaged):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / FILE).write_bytes(main)
        (folder / f"{FILE}-wal").write_bytes(changed)
        try:
            with RunStore.open(folder, writable=True) as store:
                found = {f"{name}: {trace.question}" for name, trace in store.traces()}
        except StorageFailed:
            refused += 1
        else:
            assert found <= expected, "a record was invented"
            fewer += found < expected
    assert fewer > 0
    figure(5, f"write-ahead log: {len(damaged)} damaged, {fewer} read up to the damage, {refused} refused, 0 invented")
