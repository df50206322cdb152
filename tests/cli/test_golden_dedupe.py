"""`ragtriage golden dedupe`, as a process: leaks between splits, repeats, and a detector against labels."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FEE = "What does a gold card of the bank cost in the first year?"
TEXT = "The yearly fee of the gold card is one percent and is due in January of each year."


def dedupe(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from ragtriage.cli.main import main; main()", "golden", "dedupe"]
    return subprocess.run(
        [*command, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False, timeout=120
    )


def write(path: Path, *records: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    cases = [
        {"case_id": "fee", "question": FEE, "split": "dev"},
        {"case_id": "close", "question": "How do I close an account?", "split": "dev"},
    ]
    documents = [
        {"doc_id": "fees", "text": TEXT},
        {"doc_id": "copy", "text": TEXT.upper()},
        {"doc_id": "other", "text": "Open from Monday to Friday."},
    ]
    write(tmp_path / "golden/cases.jsonl", *cases)
    write(tmp_path / "corpus/documents.jsonl", *documents)
    (tmp_path / "golden/golden.toml").write_text('name = "bank"\n')
    (tmp_path / "corpus/corpus.toml").write_text('name = "bank"\n')
    return tmp_path


def test_repeats_are_told_and_end_0_where_nothing_leaks(project: Path) -> None:
    done = dedupe("golden", cwd=project)
    assert done.stdout == "corpus: document 'copy' nearly repeats 'fees' (1.00)\n"
    assert done.stderr == (
        "golden: 2 questions, 3 documents: 0 leaks between splits, 0 repeated questions, 1 repeated documents;"
        " 0 pairs are meant to be alike\n"
    )
    assert done.returncode == 0


def test_a_leak_names_its_line_and_ends_2(project: Path) -> None:
    with (project / "golden/cases.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps({"case_id": "t", "question": FEE.replace("first", "1st"), "split": "test"}) + "\n")
        file.write(json.dumps({"case_id": "u", "question": FEE.lower(), "split": "test"}) + "\n")
    done = dedupe("golden", "--quiet", cwd=project)
    assert done.returncode == 2
    assert done.stdout.splitlines()[0] == (
        "golden/cases.jsonl:5: case 'u': leak: split 'test' asks again what 'fee' of split 'dev' asks (1.00)"
    )
    assert done.stderr == ""
    loose = dedupe("golden", "--format", "json", "--question-threshold", "0.9", cwd=project)
    content = json.loads(loose.stdout)
    assert (content["leaks"], content["cases"], content["corpus_documents"]) == (1, 4, 3)
    assert content["questions"] == [{"first": "fee", "second": "u", "similarity": 1.0, "expected": "", "leak": True}]


def test_without_a_corpus_questions_alone_are_compared(project: Path) -> None:
    (project / "corpus").rename(project / "elsewhere")
    done = dedupe("golden", cwd=project)
    assert (done.returncode, done.stdout) == (0, "")
    assert "2 questions, no corpus" in done.stderr
    assert "document 'copy'" in dedupe("golden", "--corpus", "elsewhere", cwd=project).stdout
    missing = dedupe("golden", "--corpus", "nowhere", cwd=project)
    assert missing.returncode == 2
    assert "nowhere" in missing.stderr


def test_detectors_are_measured_against_labels(project: Path) -> None:
    write(project / "labels.jsonl", {"first": "fees", "second": "copy"}, {"first": "copy", "second": "other"})
    write(project / "mine.jsonl", {"first": "fees", "second": "other"})
    ours = dedupe("golden", "--labels", "labels.jsonl", cwd=project).stdout
    assert "ingest.duplicate_precision: 1.0000 of 1\ningest.duplicate_recall: 0.5000 of 2\n" in ours
    assert "ingest.false_merge_rate: 0.0000 of 1\ningest.missed_merge_rate: 0.5000 of 2\n" in ours
    theirs = dedupe(
        "golden", "--labels", "labels.jsonl", "--detected", "mine.jsonl", "--format", "json", cwd=project
    ).stdout
    assert json.loads(theirs)["metrics"]["ingest.duplicate_precision"] == {"value": 0.0, "support": 1}


def test_what_cannot_be_read_is_told_with_its_line(project: Path) -> None:
    assert "'--detected' needs '--labels'" in dedupe("golden", "--detected", "x.jsonl", cwd=project).stderr
    write(project / "labels.jsonl", {"first": "feees", "second": "copy"})
    done = dedupe("golden", "--labels", "labels.jsonl", cwd=project)
    assert done.returncode == 2
    assert "labels.jsonl:1: 'feees' is no document of the corpus. Did you mean 'fees'?" in done.stderr
    (project / "golden/cases.jsonl").write_text("{broken\n")
    broken = dedupe("golden", cwd=project)
    assert broken.returncode == 2
    assert "golden/cases.jsonl:1" in broken.stderr
    assert dedupe("golden", "--threshold", "0.1", cwd=project).returncode == 2
