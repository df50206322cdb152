"""Recorded traces as the system under test: it was asked already, the files say what happened."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import parse_json, read_lines, validate_record
from ragtriage.core.records import Case, Chunk, Trace
from ragtriage.core.system import Override, Question
from ragtriage.runs.asking import AskFailed

__all__ = ["RecordedSystem", "RecordedTraces", "read_traces"]

_MAX_FAULTS = 1000
_SHOWN = 5


@dataclass(frozen=True)
class RecordedTraces:
    """Trace files that were checked whole; `identity` hashes their records, `notes` say what was left out."""

    files: tuple[Path, ...]
    identity: str
    notes: tuple[str, ...]

    def of(self, cases: Sequence[Case], *, repeat: int) -> Iterator[tuple[Case, int, Trace]]:
        """Yield case, repeat (from 0) and trace in the order of the files, one trace in memory at a time."""
        finder, seen = _Finder(cases), Counter[str]()
        for file in self.files:
            for _, text in read_lines(file):
                trace = Trace.model_validate_json(text)
                case = finder.find(trace.case_id, trace.question)
                if case is None:
                    continue
                number = seen[case.case_id]
                seen[case.case_id] += 1
                if number < repeat:
                    yield case, number, trace.model_copy(update={"case_id": case.case_id})


class _Finder:
    """Finds the case of a trace: by its id, else by its question where one case alone asks it."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._by_id = {case.case_id: case for case in cases}
        counts = Counter(case.question for case in cases)
        self._by_question = {case.question: case for case in cases if counts[case.question] == 1}

    def find(self, case_id: str | None, question: str) -> Case | None:
        if case_id is not None:
            return self._by_id.get(case_id)
        return self._by_question.get(question)


class RecordedSystem:
    """Stands where a system is asked: a case that no file holds is a failure of that case."""

    takes_override = False

    def __init__(self, pattern: str, listed: tuple[Chunk, ...] | None = None) -> None:
        self._pattern = pattern
        self._listed = listed

    async def ask(self, question: Question, *, override: Override | None = None) -> NoReturn:  # noqa: ARG002 - nothing can be asked again
        """Raise AskFailed: there is no trace of this case."""
        message = f"no trace of case {question.case_id!r} stands in {self._pattern}"
        raise AskFailed("NoTrace", message, stage="traces")

    def chunks(self) -> tuple[Chunk, ...] | None:
        """Return the chunks of `[system] chunks`."""
        return self._listed

    async def close(self) -> None:
        """Nothing is open."""


def read_traces(pattern: str, *, base: Path, cases: Sequence[Case], repeat: int) -> RecordedTraces:
    """Check every line of the files that match; raises BadInput with all faults, before anything is stored.

    Traces of cases that are not in the golden set, and more traces of one case than `repeat`, are left out and noted.
    """
    start, rest = (Path(Path(pattern).anchor), pattern[1:]) if Path(pattern).is_absolute() else (base, pattern)
    files = tuple(sorted(path for path in start.glob(rest) if path.is_file()))
    if not files:
        raise BadInput(f"no file matches traces = {pattern!r} in {base}")
    finder, seen, unknown, digest = _Finder(cases), Counter[str](), Counter[str](), hashlib.sha256()
    faults: list[Fault] = []
    for file in files:
        for line, text in read_lines(file):
            digest.update(text.encode() + b"\n")
            try:
                trace, problems = validate_record(Trace, parse_json(text))
            except ValueError as error:
                faults.append(Fault(str(file), line, str(error)))
                continue
            faults.extend(Fault(str(file), line, problem) for problem in problems)
            if trace is not None:
                case = finder.find(trace.case_id, trace.question)
                named = trace.case_id or trace.question
                (unknown if case is None else seen)[named if case is None else case.case_id] += 1
    if faults:
        raise BadInput(
            f"{pattern} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", sorted(faults)[:_MAX_FAULTS]
        )
    return RecordedTraces(files, digest.hexdigest(), tuple(_notes(seen, unknown, repeat)))


def _notes(seen: Mapping[str, int], unknown: Mapping[str, int], repeat: int) -> Iterator[str]:
    if unknown:
        count = sum(unknown.values())
        yield f"{count} recorded trace{'s' if count > 1 else ''} of no known case left out: {_few(unknown)}"
    twice = {name: number - repeat for name, number in seen.items() if number > repeat}
    if twice:
        yield f"more than {repeat} recorded per case, the later ones left out: {_few(twice)}"


def _few(names: Mapping[str, int]) -> str:
    shown = ", ".join(repr(name) for name in sorted(names)[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
