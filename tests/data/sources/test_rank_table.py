from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.core.tables import ColumnType, write_parquet
from ragtriage.data.rankings import Vocabulary
from ragtriage.data.sources.rank_table import rank_table, read_judgements, read_run

TYPES: dict[str, ColumnType] = {
    "question": "text",
    "document": "text",
    "score": "number",
    "rank": "whole",
    "grade": "whole",
}


def table(folder: Path, types: dict[str, ColumnType] | None = None, **columns: list[Any]) -> Path:
    path = folder / "table.parquet"
    write_parquet(path, columns, {name: (types or TYPES)[name] for name in columns})
    return path


def test_a_run_is_read_with_its_ranks_where_it_has_them(tmp_path: Path) -> None:
    run = rank_table(table(tmp_path, question=["q", "q"], document=["a", "b"], score=[2.0, 0.1], rank=[2, 1]))
    assert (run.score.tolist(), run.rank.tolist() if run.rank is not None else None) == ([2.0, 0.1], [2, 1])
    assert [name.decode() for name in run.documents] == ["a", "b"]


def test_ids_may_be_whole_numbers(tmp_path: Path) -> None:
    types: dict[str, ColumnType] = {"question": "whole", "document": "whole", "grade": "whole"}
    path = table(tmp_path, types, question=[1, 1], document=[10, 11], grade=[1, 0])
    judged = read_judgements(path, documents=Vocabulary())
    assert ([*judged.questions], [*judged.documents], judged.grade.tolist()) == ([b"1"], [b"10", b"11"], [1, 0])


def test_every_fault_is_reported_with_its_row(tmp_path: Path) -> None:
    path = table(tmp_path, question=["q", None, "q", "q"], document=["a", "b", None, "d"], score=[1.0, 1.0, 1.0, None])
    with pytest.raises(BadInput) as caught:
        read_run(path, documents=Vocabulary())
    assert [(fault.line, fault.message) for fault in caught.value.faults] == [
        (2, "the row has no question"),
        (3, "the row has no document"),
        (4, "the score must be a finite number. Got None instead"),
    ]


def test_a_missing_or_misnamed_column_says_which_is_near(tmp_path: Path) -> None:
    types: dict[str, ColumnType] = {"question": "text", "documents": "text", "score": "number"}
    path = table(tmp_path, types, question=["q"], documents=["a"], score=[1.0])
    with pytest.raises(BadInput, match=r"has no column 'document'\. Did you mean 'documents'"):
        read_run(path, documents=Vocabulary())


def test_grades_must_be_whole_and_the_map_reads_them_as_they_are_written(tmp_path: Path) -> None:
    types: dict[str, ColumnType] = {"question": "text", "document": "text", "grade": "number"}
    path = table(tmp_path, types, question=["q"] * 2, document=["a", "b"], grade=[1.0, 2.5])
    with pytest.raises(BadInput, match=r"table\.parquet:2: the grade must be a whole number\. Got 2\.5"):
        read_judgements(path, documents=Vocabulary())
    whole = table(tmp_path, question=["q"] * 2, document=["a", "b"], grade=[1, 4])
    judged = read_judgements(whole, documents=Vocabulary(), grade_map={"1": 4, "4": 1})
    assert judged.grade.tolist() == [4, 1]


def test_a_file_that_is_no_parquet_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "junk.parquet"
    path.write_bytes(b"not parquet at all")
    with pytest.raises(BadInput):
        read_run(path, documents=Vocabulary())


@pytest.mark.parametrize("name", ["run[1].parquet", "run*.parquet", "ru?.parquet", "lang=en/run.parquet"])
def test_the_file_that_is_named_is_read_and_no_other_that_a_pattern_would_match(tmp_path: Path, name: str) -> None:
    (tmp_path / "lang=en").mkdir()
    for other in ("run1.parquet", "run2.parquet", "rux.parquet"):
        write_parquet(tmp_path / other, {"question": ["q"], "document": ["wrong"], "score": [1.0]}, TYPES)
    write_parquet(tmp_path / name, {"question": ["q"], "document": ["right"], "score": [1.0]}, TYPES)
    assert list(read_run(tmp_path / name, documents=Vocabulary()).documents) == [b"right"]
