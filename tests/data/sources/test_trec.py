from __future__ import annotations

from pathlib import Path

import pytest

from ragtriage.core import files
from ragtriage.core.catalogue import SOURCES
from ragtriage.core.errors import BadInput
from ragtriage.data.rankings import NO_RANK, Vocabulary
from ragtriage.data.sources.trec import read_judgements, read_run, trec


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "run"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(path: Path) -> list[tuple[str, str, float, int]]:
    run = read_run(path, documents=Vocabulary())
    assert run.rank is not None
    questions, documents = ([name.decode() for name in names] for names in (run.questions, run.documents))
    columns = (run.question.tolist(), run.document.tolist(), run.score.tolist(), run.rank.tolist())
    return [(questions[q], documents[d], s, r) for q, d, s, r in zip(*columns, strict=True)]


@pytest.mark.parametrize(
    "content",
    [
        "q1 Q0 a 1 2.5 t\nq1 Q0 b 2 1e-3 t\n",
        "q1\tQ0\ta\t1\t  2.5\tt\r\n\r\nq1  Q0  b  2  1e-3  t",
        "\ufeffq1 Q0 a 1 2.5 t\n# a comment\nq1 Q0 b 2 1e-3 a tag of four words\n",
    ],
    ids=["plain", "tabs, CR and no last newline", "byte order mark, comment and open tag"],
)
def test_the_same_rows_come_out_however_they_are_laid_out(tmp_path: Path, content: str) -> None:
    assert rows(write(tmp_path, content)) == [("q1", "a", 2.5, 1), ("q1", "b", 0.001, 2)]


def test_ids_may_hold_signs_of_any_script_and_a_hash_inside(tmp_path: Path) -> None:
    content = "в1 Q0 док#1 1 1 t\nв1 Q0 a\u00a0b\u2028c 2 0.5 t\n"
    assert rows(write(tmp_path, content)) == [("в1", "док#1", 1.0, 1), ("в1", "a\u00a0b\u2028c", 0.5, 2)]


def test_a_rank_that_is_no_number_is_none(tmp_path: Path) -> None:
    found = rows(write(tmp_path, f"q Q0 a first 2 t\nq Q0 b {10**30} 1 t\nq Q0 c 3 0 t\n"))
    assert [rank for *_, rank in found] == [NO_RANK, NO_RANK, 3]


def test_a_file_of_many_blocks_gives_every_row_and_the_lines_of_its_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 64)
    lines = [f"q{i // 10} Q0 d{i} {i % 10} {300 - i}.5 t" for i in range(300)]
    found = rows(write(tmp_path, "\n".join(lines)))
    assert found == [(f"q{i // 10}", f"d{i}", 300.5 - i, i % 10) for i in range(300)]
    lines[123], lines[250] = "q12 Q0 d123 3", "q25 Q0 d250 0 x t"
    with pytest.raises(BadInput) as caught:
        rows(write(tmp_path, "\n".join(lines) + "\n"))
    assert [fault.line for fault in caught.value.faults] == [124, 251]


def test_two_lines_that_together_have_the_right_number_of_fields_are_two_faults(tmp_path: Path) -> None:
    """Five fields and seven fields are twelve, but no two rows; the second is a row whose tag has two words."""
    with pytest.raises(BadInput) as caught:
        rows(write(tmp_path, "q1 Q0 a 1 2.5\nq1 Q0 b 2 1.5 t t\n"))
    assert [fault.line for fault in caught.value.faults] == [1]
    qrels = write(tmp_path, "q1 0 a\nq1 0 b 1 1\n")
    with pytest.raises(BadInput) as caught:
        read_judgements(qrels, documents=Vocabulary())
    assert [fault.line for fault in caught.value.faults] == [1, 2]


def test_a_nul_byte_is_part_of_an_id_and_no_end_of_line(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        rows(write(tmp_path, b"q1 Q0 a 1 2.5 \0 q1 Q0 b 2 1.5\n"[:20] + b"\nq1 Q0\n"))
    assert rows(write(tmp_path, b"q1 Q0 a\0b 1 2.5 t\n")) == [("q1", "a\0b", 2.5, 1)]


def test_bytes_that_are_no_utf8_are_a_fault_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"run:2: is not UTF-8 \(byte 0xff\)"):
        rows(write(tmp_path, b"q1 Q0 a 1 2 t\nq1 Q0 \xff 2 1 t\n"))


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        read_run(tmp_path / "none", documents=Vocabulary())


def test_the_declared_source_reads_a_run(tmp_path: Path) -> None:
    path = write(tmp_path, "q1 Q0 a 1 2.5 t\n")
    assert SOURCES["trec"] is trec
    assert trec(path).score.tolist() == [2.5]
