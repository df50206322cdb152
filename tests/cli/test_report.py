"""`ragtriage report` on a run folder that an evaluation left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ragtriage.cli.main import ragtriage_command
from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.core.system import Question
from ragtriage.core.tables import read_parquet
from ragtriage.workflows.evaluate import evaluate

TEXT = "A new card costs 2,500 tenge and arrives within three working days."
DOCUMENT = {"doc_id": "card", "text": TEXT, "title": "Cards"}
CASES = [
    {
        "case_id": "price",
        "question": "What does a new card cost?",
        "language": "en",
        "evidence": [{"doc_id": "card", "start": 0, "end": 28, "quote": TEXT[:28]}],
        "expected": {"required_facts": [{"any_of": ["2,500"]}]},
    },
    {
        "case_id": "days",
        "question": "When does it arrive?",
        "language": "en",
        "evidence": [{"doc_id": "card", "start": 33, "end": 66, "quote": TEXT[33:66]}],
        "expected": {"required_facts": [{"any_of": ["three"]}]},
    },
    {"case_id": "chat", "question": "How are you?", "language": "en"},
]


def answer(question: Question) -> dict[str, object]:
    """Know the price alone."""
    hit = {"id": "card#0", "doc_id": "card", "start": 0, "end": len(TEXT)}
    text = "A new card costs 2,500 tenge." if "cost" in question.text else "I do not know."
    return {
        "rankings": [{"stage": "dense", "hits": [hit]}],
        "context": [{**hit, "text": TEXT}],
        "answer": {"text": text},
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A finished run: one case ok, one not, one that expects nothing."""
    place = tmp_path_factory.mktemp("project")
    (place / "corpus").mkdir()
    (place / "golden").mkdir()
    (place / "corpus" / "documents.jsonl").write_text(json.dumps(DOCUMENT) + "\n", encoding="utf-8")
    (place / "golden" / "cases.jsonl").write_text("".join(json.dumps(c) + "\n" for c in CASES), encoding="utf-8")
    (place / "corpus" / "corpus.toml").write_text('name = "cards"\nversion = "1"\n', encoding="utf-8")
    (place / "golden" / "golden.toml").write_text('name = "cards"\nversion = "1"\n', encoding="utf-8")
    evaluate(system=answer, golden=place / "golden", corpus=place / "corpus", output=place / "run")
    return place / "run"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(ragtriage_command, ["report", *map(str, words)], standalone_mode=False)


def test_without_a_file_the_summary_goes_to_stdout(folder: Path) -> None:
    result = run(folder)
    assert result.return_value == 0
    assert "3 cases: 1 ok, 1 not ok, 0 failed, 1 without expectation; 3 traced" in result.stdout
    assert f"ragtriage diagnose {folder} --case days" in result.stdout or "--case ID" in result.stdout
    assert "\x1b" not in result.stdout


def test_each_file_is_written_in_the_format_of_its_suffix(folder: Path, tmp_path: Path) -> None:
    names = ["a.html", "b.md", "c.json", "d.xml", "e.csv", "f.parquet", "g.prom", "h.tex", "i.txt"]
    result = run(folder, *(word for name in names for word in ("-o", tmp_path / name)))
    assert result.return_value == 0
    assert result.stdout == ""
    assert result.stderr.splitlines() == [f"ragtriage: wrote {tmp_path / name}" for name in names]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_a_report_drawn_again_equals_the_one_that_the_run_left(folder: Path, tmp_path: Path) -> None:
    again = {"report.html": "r.html", "report.md": "r.md", "junit.xml": "r.xml", "results.json": "r.json"}
    result = run(folder, *(word for name in again.values() for word in ("-o", tmp_path / name)), "--quiet")
    assert result.stderr == ""
    for name, mine in again.items():
        assert (tmp_path / mine).read_bytes() == (folder / name).read_bytes(), name
    assert list(read_parquet(folder / "scores.parquet"))


def test_a_format_can_be_piped(folder: Path) -> None:
    result = run(folder, "--format", "json")
    assert json.loads(result.stdout)["counts"]["not_ok"] == 1


def test_an_unknown_suffix_stops_before_anything_is_written(folder: Path, tmp_path: Path) -> None:
    result = run(folder, "-o", tmp_path / "a.md", "-o", tmp_path / "b.docx")
    assert isinstance(result.exception, BadInput)
    assert "no report format has the suffix '.docx'" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_says_which_was_meant(folder: Path) -> None:
    result = run(folder, "--format", "jsn")
    assert isinstance(result.exception, UnknownName)
    assert "Did you mean 'json'?" in str(result.exception)


def test_a_folder_without_a_run_is_bad_input(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert isinstance(result.exception, BadInput)
    assert "no finished run" in str(result.exception)
