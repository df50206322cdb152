"""Recorded traces as the system under test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.core.records import Case
from ragtriage.runs.systems.traces import read_traces

CASES = [Case(case_id=f"c{n}", question=f"question {n}?") for n in range(3)]


def trace(name: str, **fields: Any) -> dict[str, Any]:
    return {"trace_id": name, "question": "question 0?", "answer": {"text": name}, **fields}


def written(folder: Path, name: str, *records: dict[str, Any]) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def found(folder: Path, *, repeat: int = 1, pattern: str = "traces/*.jsonl") -> list[tuple[str, int, str]]:
    recorded = read_traces(pattern, base=folder, cases=CASES, repeat=repeat)
    return [(case.case_id, number, trace.trace_id) for case, number, trace in recorded.of(CASES, repeat=repeat)]


def test_traces_find_their_case_by_id_else_by_the_question(tmp_path: Path) -> None:
    written(tmp_path, "traces/a.jsonl", trace("t2", case_id="c2"), trace("t1", question="question 1?"))
    written(tmp_path, "traces/b.jsonl", trace("t0"))
    assert found(tmp_path) == [("c2", 0, "t2"), ("c1", 0, "t1"), ("c0", 0, "t0")]
    recorded = read_traces("traces/*.jsonl", base=tmp_path, cases=CASES, repeat=1)
    assert [trace.case_id for _, _, trace in recorded.of(CASES, repeat=1)] == ["c2", "c1", "c0"]
    assert recorded.notes == ()


def test_an_absolute_pattern_is_taken_too(tmp_path: Path) -> None:
    written(tmp_path, "traces/a.jsonl", trace("t0"))
    assert found(tmp_path / "traces", pattern=str(tmp_path / "traces" / "*.jsonl")) == [("c0", 0, "t0")]


def test_unknown_traces_and_more_than_asked_for_are_left_out_and_noted(tmp_path: Path) -> None:
    records = [trace("t0"), trace("again"), trace("third"), trace("x", case_id="c9"), trace("y", question="other?")]
    written(tmp_path, "traces/a.jsonl", *records)
    assert found(tmp_path) == [("c0", 0, "t0")]
    notes = read_traces("traces/*.jsonl", base=tmp_path, cases=CASES, repeat=1).notes
    assert notes == (
        "2 recorded traces of no known case left out: 'c9', 'other?'",
        "more than 1 recorded per case, the later ones left out: 'c0'",
    )
    assert found(tmp_path, repeat=2) == [("c0", 0, "t0"), ("c0", 1, "again")]


def test_a_question_that_two_cases_ask_names_neither(tmp_path: Path) -> None:
    cases = [*CASES, Case(case_id="twin", question="question 0?")]
    written(tmp_path, "traces/a.jsonl", trace("t0"))
    recorded = read_traces("traces/*.jsonl", base=tmp_path, cases=cases, repeat=1)
    assert list(recorded.of(cases, repeat=1)) == []
    assert "1 recorded trace of no known case" in recorded.notes[0]


def test_every_broken_line_is_named_before_anything_is_stored(tmp_path: Path) -> None:
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "a.jsonl").write_text(
        json.dumps(trace("t0")) + '\n\n{"trace_id": "x"\n' + json.dumps({"trace_id": "y", "questoin": "q"}) + "\n"
    )
    with pytest.raises(BadInput) as refused:
        found(tmp_path)
    lines = [str(fault).rpartition("/")[2] for fault in refused.value.faults]
    assert [line.split(": ")[0] for line in lines] == ["a.jsonl:3", "a.jsonl:4", "a.jsonl:4"]
    assert any("Did you mean 'question'?" in line for line in lines)


def test_a_pattern_that_matches_nothing_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no file matches traces = 'traces/\*\.jsonl'"):
        found(tmp_path)


def test_the_identity_follows_the_content(tmp_path: Path) -> None:
    written(tmp_path, "traces/a.jsonl", trace("t0"))
    first = read_traces("traces/*.jsonl", base=tmp_path, cases=CASES, repeat=1).identity
    written(tmp_path, "traces/a.jsonl", trace("t0", session="s"))
    assert read_traces("traces/*.jsonl", base=tmp_path, cases=CASES, repeat=1).identity != first


def test_case_b43_only_a_line_feed_ends_a_record(tmp_path: Path, shared: Callable[[str], Path]) -> None:
    lines = shared("cases/inputs/B43.jsonl").read_bytes()
    assert "\u2028".encode() in lines or b"\\u2028" in lines
    question = "a\u2028b\u2029c\u0085d"
    text = json.dumps(trace("t0", question=question, case_id="c0"), ensure_ascii=False)
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "a.jsonl").write_bytes(
        text.encode() + b"\r\n\n" + json.dumps(trace("t1", case_id="c1")).encode()
    )
    recorded = read_traces("traces/*.jsonl", base=tmp_path, cases=CASES, repeat=1)
    assert [t.question for _, _, t in recorded.of(CASES, repeat=1)] == [question, "question 0?"]
