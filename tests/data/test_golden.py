"""Reading and sealing a golden set; ids and lines that other tools lose."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_records
from ragtriage.core.records import Case
from ragtriage.data.golden import golden_of, read_golden, seal_golden

Shared = Callable[[str], Path]


def golden_at(folder: Path, *cases: dict[str, object]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("golden.toml").write_text('name = "bank"\ncorpus = ""\nsplit_policy = "by case"\n')
    folder.joinpath("cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    return folder


def case(case_id: str, **fields: object) -> dict[str, object]:
    return {"case_id": case_id, "question": f"What of {case_id}?", **fields}


def test_cases_keep_the_order_of_the_file_and_the_identity_does_not_depend_on_it(tmp_path: Path) -> None:
    one = read_golden(golden_at(tmp_path / "a", case("b"), case("a")))
    other = read_golden(golden_at(tmp_path / "b", case("a"), case("b")))
    assert [c.case_id for c in one.cases] == ["b", "a"]
    assert one.identity == other.identity
    assert read_golden(golden_at(tmp_path / "c", case("a"))).identity != one.identity


def test_a_split_keeps_its_cases_and_an_unknown_one_names_those_there_are(tmp_path: Path) -> None:
    folder = golden_at(tmp_path, case("a", split="dev"), case("b", split="test"))
    assert [c.case_id for c in read_golden(folder, split="test").cases] == ["b"]
    with pytest.raises(BadInput, match=r"Its splits are: dev, test\. Did you mean 'test'\?"):
        read_golden(folder, split="tset")


def test_grades_are_mapped_all_at_once_on_reading(tmp_path: Path) -> None:
    evidence = [{"doc_id": "d", "grade": grade} for grade in (1, 2, 4, "high", 0.5)]
    folder = golden_at(tmp_path, case("a", evidence=[*evidence, {"doc_id": "e"}]))
    mapping = {"1": 4, "2": 3, "4": 1, "high": 2, "0.5": 0}
    read = read_golden(folder, grade_map=mapping)
    assert [e.grade for e in read.cases[0].evidence] == [4, 3, 1, 2, 0, 4]
    with pytest.raises(BadInput) as caught:
        read_golden(folder)
    assert [fault.message.split()[0] for fault in caught.value.faults] == ["'evidence.3.grade'", "'evidence.4.grade'"]


def test_the_grades_of_cranfield_can_be_turned_over(shared: Shared) -> None:
    path = shared("data/cranfield")
    plain = read_golden(path, source="cranfield")
    grades = {e.grade for c in plain.cases for e in c.evidence}
    turned = read_golden(path, source="cranfield", grade_map={str(g): 9 - g for g in grades})
    pairs = zip(plain.cases, turned.cases, strict=True)
    assert all(e.grade + f.grade == 9 for a, b in pairs for e, f in zip(a.evidence, b.evidence, strict=True))


def test_sealing_writes_the_hash_and_the_corpus_and_a_changed_file_is_refused(tmp_path: Path) -> None:
    folder = golden_at(tmp_path, case("a"))
    seal_golden(folder, corpus_identity="c" * 64)
    assert read_golden(folder).corpus_identity == "c" * 64
    text = folder.joinpath("golden.toml").read_text()
    assert text.count("corpus =") == 1
    assert 'split_policy = "by case"' in text
    folder.joinpath("cases.jsonl").write_text(json.dumps(case("b")))
    with pytest.raises(BadInput, match="is not the golden set that was sealed"):
        read_golden(folder)


def test_a_manifest_with_unknown_keys_says_which_was_meant(tmp_path: Path) -> None:
    folder = golden_at(tmp_path, case("a"))
    folder.joinpath("golden.toml").write_text('name = "bank"\nchangelogs = ["1"]\n')
    with pytest.raises(BadInput, match="Did you mean 'changelog'"):
        read_golden(folder)


def test_a_golden_set_without_cases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no case"):
        read_golden(golden_at(tmp_path))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("1e999", "the number '1e999' is too large"),
        ("-1e999", "is too large"),
        ("9" * 5000, "has 5,000 digits"),
        ('"\\ud83d"', "ud83d is half a character"),
        ('{"\\uDE00": 1}', "ude00 is half a character"),
    ],
)
def test_what_no_database_can_hold_is_a_fault_of_its_line(tmp_path: Path, value: str, words: str) -> None:
    folder = golden_at(tmp_path, case("a"))
    with folder.joinpath("cases.jsonl").open("a") as stream:
        stream.write(f'{{"case_id": "b", "question": "?", "metadata": {{"x": {value}}}}}\n')
    with pytest.raises(BadInput, match=words) as refused:
        read_golden(folder)
    assert [fault.line for fault in refused.value.faults] == [2]


def test_a_whole_character_may_be_escaped_in_two_halves(tmp_path: Path) -> None:
    folder = golden_at(tmp_path, case("a"))
    folder.joinpath("cases.jsonl").write_text('{"case_id": "a", "question": "\\ud83d\\ude00?"}\n')
    assert read_golden(folder).cases[0].question == "\U0001f600?"


def test_a_grade_whose_gain_no_number_holds_is_refused(tmp_path: Path) -> None:
    folder = golden_at(tmp_path, {"case_id": "a", "question": "?", "evidence": [{"doc_id": "d", "grade": 1001}]})
    with pytest.raises(BadInput, match=r"grade' should be less than or equal to 1000"):
        read_golden(folder)


def test_line_separators_inside_a_text_are_text(shared: Shared, tmp_path: Path) -> None:
    """B43: U+2028, U+2029, U+0085 cut no record; CRLF and a blank line are accepted; a broken line has its number."""
    raw = shared("cases/inputs/B43.jsonl").read_bytes()
    assert len(raw.decode().splitlines()) > len(raw.split(b"\n"))
    own = raw.replace(b'"id"', b'"case_id"')
    file = tmp_path / "cases.jsonl"
    file.write_bytes(own)
    cases = read_records(file, Case, key="case_id")
    assert [c.case_id for c in cases] == ["a", "b", "c"]
    expected = [json.loads(line)["question"] for line in raw.split(b"\n") if line.strip()]
    assert [c.question for c in cases] == expected
    assert "\u2028" in "".join(expected)
    file.write_bytes(own + b"\n{broken")
    with pytest.raises(BadInput) as caught:
        read_records(file, Case, key="case_id")
    assert [fault.line for fault in caught.value.faults] == [own.count(b"\n") + 2]


def test_ids_that_look_the_same_are_refused_before_anything_runs(shared: Shared, tmp_path: Path) -> None:
    """B45: equal ids, ids equal after trimming or in NFC, and a missing id are all named, with their lines."""
    rows = json.loads(shared("cases/inputs/B45.json").read_text(encoding="utf-8"))["rows"]
    folder = golden_at(tmp_path, *({"case_id": row["id"], "question": row["q"]} for row in rows))
    with pytest.raises(BadInput) as caught:
        read_golden(folder)
    messages = [(fault.line, fault.message) for fault in caught.value.faults]
    assert any("'case-1' stands in lines 1, 2, 3" in text for _, text in messages)
    assert any("'café' stands in lines 4, 5" in text for _, text in messages)
    assert any(line == 6 and "'case_id'" in text for line, text in messages)


def test_ids_that_look_like_paths_stay_apart_and_broken_ones_are_refused(shared: Shared, tmp_path: Path) -> None:
    """B55: `../../outside`, `A` and `a`, `CON` are ids like any other; control characters and endless ids are not."""
    ids = json.loads(shared("cases/inputs/B55.json").read_text(encoding="utf-8"))["ids"]
    refused = [i for i in ids if "\x00" in i or len(i) > 256]
    assert len(refused) == 2
    folder = golden_at(tmp_path / "in/golden", *(case(i) for i in ids))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadInput) as caught:
        read_golden(folder)
    assert [fault.line for fault in caught.value.faults] == [ids.index(i) + 1 for i in refused]
    kept = [i for i in ids if i not in refused]
    read = read_golden(golden_at(tmp_path / "in/golden", *(case(i) for i in kept)))
    assert [c.case_id for c in read.cases] == kept
    assert golden_of(read.cases[-2:]).identity != golden_of(read.cases[-1:]).identity
    assert sorted(tmp_path.rglob("*")) == before
