"""`ragtriage ingest`: what stands on stdout, on stderr, in files, and the exit code."""

from __future__ import annotations

import json
import sys

import pytest

from ragtriage.cli.main import main


@pytest.fixture
def ragtriage(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for folder, files in {
        "ref": {"a.txt": "Mars has two moons.", "b.txt": "two\n\nblocks", "c.txt": "gone"},
        "ocr": {"a.txt": "Mars has two m00ns.", "b.txt": "two\n\nblocks"},
        "bad": {"a.txt": "x", "a.md": "x"},
    }.items():
        (tmp_path / folder).mkdir()
        for name, text in files.items():
            (tmp_path / folder / name).write_text(text)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragtriage", "ingest", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    return run


def test_the_table_shows_metrics_worst_documents_and_the_way_to_all(ragtriage):
    code, out, err = ragtriage("ref", "ocr")
    assert code == 0
    assert "ingest.cer" in out
    assert "Mars has two [-moons.-]{+m00ns.+}" in out
    assert "ragtriage ingest ref ocr --format json" in out
    assert "note: ocr: 1 document not extracted, failed: c" in err
    assert "\x1b[" not in out


def test_json_goes_to_a_file_whose_suffix_says_so_and_notes_can_be_silenced(ragtriage, tmp_path):
    code, out, err = ragtriage("ref", "ocr", "-m", "cer", "-o", "out.json", "--quiet")
    assert (code, out, err) == (0, "", "")
    assert json.loads((tmp_path / "out.json").read_text())["metrics"]["ingest.cer"]["failed"] == 1


def test_several_extractors_stand_side_by_side(ragtriage):
    _, out, _ = ragtriage("ref", "ocr", "ref", "-m", "wer")
    rows = [line.split() for line in out.splitlines() if line.strip().startswith("ingest.wer")]
    assert [row[:2] for row in rows] == [["ingest.wer", "ocr"], ["ingest.wer", "ref"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ref", "nowhere"], "nowhere: is no folder"),
        (["ref", "bad"], "also that of a.txt"),
        (["ref", "ocr", "-m", "recall"], "there is no metric of extracted documents 'recall'"),
        (["ref", "ocr", "--classes", "nowhere.csv"], "nowhere.csv"),
        (["ref"], "EXTRACTED_DIR"),
    ],
)
def test_bad_input_ends_2_and_says_what_is_wrong(ragtriage, arguments, said):
    code, out, err = ragtriage(*arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_text_of_a_file_cannot_steer_the_terminal(ragtriage, tmp_path):
    (tmp_path / "ocr" / "a.txt").write_text("Mars \x1b[31mhas\u202e t\u00adwo [bold]moons[/bold].")
    _, out, _ = ragtriage("ref", "ocr")
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "t⟨U+00AD⟩wo" in out
    assert "[bold]moons[/bold]" in out


def test_many_documents_are_counted_on_stderr_and_few_are_not(ragtriage, tmp_path):
    assert "documents\n" not in ragtriage("ref", "ocr")[2]
    for number in range(100):
        for folder in ("ref", "ocr"):
            (tmp_path / folder / f"n{number}.txt").write_text("x")
    _, _, err = ragtriage("ref", "ocr", "-m", "cer")
    assert "ragtriage: 103 documents\n" in err
    assert "ragtriage: 100 % (103 of 103, 1 failed)\n" in err
    assert "103 documents\n" not in ragtriage("ref", "ocr", "-m", "cer", "-q")[2]
