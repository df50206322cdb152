"""`ragtriage golden validate` and `sign`, as a process: exit codes, and every fault as file:line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = "The fee is 1 %."
GOOD = {"case_id": "fee", "question": "What is the fee?", "evidence": [{"doc_id": "fees", "start": 0, "end": 15}]}


def ragtriage(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from ragtriage.cli.main import main; main()", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("corpus", "golden"):
        tmp_path.joinpath(name).mkdir()
    tmp_path.joinpath("corpus/corpus.toml").write_text('name = "bank"\n')
    tmp_path.joinpath("corpus/documents.jsonl").write_text(json.dumps({"doc_id": "fees", "text": TEXT}) + "\n")
    tmp_path.joinpath("golden/golden.toml").write_text('name = "bank"\ncorpus = ""\n')
    cases(tmp_path, GOOD)
    return tmp_path


def cases(project: Path, *given: object) -> None:
    lines = [case if isinstance(case, str) else json.dumps(case, ensure_ascii=False) for case in given]
    project.joinpath("golden/cases.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_golden_set_that_holds_ends_0_and_says_what_was_checked(project: Path) -> None:
    done = ragtriage("golden", "validate", "golden", cwd=project)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "golden: 1 case against 1 document: 0 faults, 0 warnings\n"


def test_every_fault_of_every_kind_comes_in_one_go_and_ends_2(project: Path) -> None:
    lost = {"case_id": "lost", "question": "2?", "evidence": [{"doc_id": "fee"}]}
    wrong = {"case_id": "wrong", "question": "3?", "evidence": [{"doc_id": "fees", "start": 0, "end": 3, "quote": "A"}]}
    typo = {"case_id": "typo", "qestion": "4?"}
    cases(project, GOOD, lost, wrong, typo, "{broken", GOOD)
    project.joinpath("golden/golden.toml").write_text(f'name = "bank"\ncorpus = "{"0" * 64}"\n')
    done = ragtriage("golden", "validate", "golden", cwd=project)
    assert done.returncode == 2
    places = [line.split(": ")[0] for line in done.stdout.splitlines()]
    file = "golden/cases.jsonl"
    assert places == [
        f"{file}:2",
        f"{file}:3",
        f"{file}:4",
        f"{file}:4",
        f"{file}:5",
        f"{file}:6",
        "golden/golden.toml:2",
    ]
    assert "Did you mean 'fees'?" in done.stdout
    assert "Did you mean 'question'?" in done.stdout
    assert "'fee' stands in lines 1, 6" in done.stdout


def test_warnings_do_not_change_the_exit_code(project: Path) -> None:
    cases(project, {**GOOD, "expected": {"required_facts": [{"any_of": ["2 %"]}]}})
    done = ragtriage("golden", "validate", "golden", cwd=project)
    assert done.returncode == 0
    assert done.stdout.startswith("golden/cases.jsonl:1: warning: case 'fee': 'expected.required_facts.0'")
    quiet = ragtriage("golden", "validate", "golden", "--quiet", cwd=project)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


def test_a_missing_corpus_or_golden_set_is_a_fault_that_names_it(project: Path) -> None:
    done = ragtriage("golden", "validate", "golden", "--corpus", "nowhere", cwd=project)
    assert done.returncode == 2
    assert done.stdout == "nowhere/corpus.toml: No such file or directory\n"
    project.joinpath("golden/cases.jsonl").write_bytes(b"\n\xff")
    broken = ragtriage("golden", "validate", "golden", cwd=project)
    assert broken.stdout == "golden/cases.jsonl:2: is not UTF-8 (byte 0xff)\n"
    gone = ragtriage("golden", "validate", "nothing", cwd=project)
    assert gone.returncode == 2
    assert "nothing/cases.jsonl: No such file or directory" in gone.stdout


def test_json_and_a_file_hold_the_same(project: Path) -> None:
    cases(project, {**GOOD, "evidence": [{"doc_id": "fee"}]})
    done = ragtriage("golden", "validate", "golden", "--format", "json", "-o", "out.json", cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    found = json.loads(project.joinpath("out.json").read_text())
    assert (found["cases"], found["documents"], found["warnings"]) == (1, 1, [])
    (fault,) = found["faults"]
    assert (fault["file"], fault["line"]) == ("golden/cases.jsonl", 1)


def test_what_a_case_is_called_cannot_steer_a_terminal(project: Path) -> None:
    cases(project, {**GOOD, "evidence": [{"doc_id": "fees", "start": 0, "end": 3, "quote": "\x1b[31mA\n"}]})
    done = ragtriage("golden", "validate", "golden", cwd=project)
    assert done.returncode == 2
    assert "\x1b" not in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_signing_seals_both_and_a_change_afterwards_is_a_fault(project: Path) -> None:
    done = ragtriage("golden", "sign", "golden", cwd=project)
    assert done.returncode == 0
    identity = done.stdout.split()[-1]
    assert f'corpus = "{identity}"' in project.joinpath("golden/golden.toml").read_text()
    assert "documents.jsonl" in project.joinpath("corpus/corpus.toml").read_text()
    assert ragtriage("golden", "validate", "golden", cwd=project).returncode == 0
    cases(project, {**GOOD, "question": "What does it cost?"})
    changed = ragtriage("golden", "validate", "golden", cwd=project)
    assert changed.returncode == 2
    assert "the file changed after it was sealed" in changed.stdout
    assert ragtriage("golden", "sign", "golden", cwd=project).returncode == 0
    assert ragtriage("golden", "validate", "golden", cwd=project).returncode == 0


def test_what_was_signed_is_told_as_json(project: Path) -> None:
    done = ragtriage("golden", "sign", "golden", "--format", "json", cwd=project)
    told = json.loads(done.stdout)
    assert (done.returncode, told["cases"]) == (0, 1)
    assert f'corpus = "{told["corpus"]}"' in project.joinpath("golden/golden.toml").read_text()


def test_a_golden_set_with_faults_is_not_signed(project: Path) -> None:
    cases(project, {**GOOD, "evidence": [{"doc_id": "fee"}]})
    before = project.joinpath("golden/golden.toml").read_text()
    done = ragtriage("golden", "sign", "golden", cwd=project)
    assert done.returncode == 2
    assert "golden/cases.jsonl:1: case 'fee'" in done.stderr
    assert project.joinpath("golden/golden.toml").read_text() == before


def test_the_example_bank_has_no_fault(root: Path) -> None:
    done = ragtriage("golden", "validate", "examples/bank/golden", cwd=root)
    assert done.stdout == ""
    assert done.returncode == 0
