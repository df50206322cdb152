"""What an index returned, read from a file, and every fault of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.data.index_findings import IndexFinding, read_findings


def test_lines_are_read_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    path.write_text('{"query": "b", "ids": ["2", "1"], "took_ms": 0.5}\n\n{"query": "a", "ids": []}\n')
    assert read_findings(path) == (
        IndexFinding(query="b", ids=("2", "1"), took_ms=0.5),
        IndexFinding(query="a", ids=()),
    )
    assert read_findings(path, queries={"a", "b"}, items={"1", "2"})[1].took_ms is None


def test_lines_keep_their_numbers_beside_broken_and_blank_ones(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    path.write_text('\n{"query": ""}\n\n{"query": "a", "ids": ["x"]}\n[]\n{"query": "a", "ids": []}\n')
    with pytest.raises(BadInput) as told:
        read_findings(path, items={"1"})
    assert [(fault.line, fault.message) for fault in told.value.faults] == [
        (2, "'ids' is missing"),
        (2, "'query' String should have at least 1 character. Got '' instead"),
        (4, "'ids' holds what there is no vector of: 'x'"),
        (5, "must be one JSON object. Got [] instead"),
        (6, "the query 'a' stands in line 4 already"),
    ]


def test_many_strangers_are_counted_in_one_fault(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    path.write_text(json.dumps({"query": "q", "ids": [str(number) for number in range(9)]}))
    with pytest.raises(BadInput, match="'0', '1', '2', '3', '4' and 4 more"):
        read_findings(path, items=set())
