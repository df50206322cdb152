"""Data sets as documents and cases: SciFact, Cranfield, XQuAD from the public data, BEIR from a folder made here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.core.records import Case, Document
from ragtriage.data.datasets import DataSet, read_data_set

Shared = Callable[[str], Path]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, *rows: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def assert_quotes_stand_where_they_are_said_to(data: DataSet) -> None:
    by_id: dict[str, Document] = {document.doc_id: document for document in data.documents}
    for case in data.cases:
        for evidence in case.evidence:
            if evidence.start is not None:
                assert by_id[evidence.doc_id].text[evidence.start : evidence.end] == evidence.quote


def relevant_documents(case: Case) -> set[str]:
    return {evidence.doc_id for evidence in case.evidence if evidence.grade >= 1}


def test_scifacts_documents_and_relevance_are_those_of_its_files(shared: Shared) -> None:
    folder = shared("data/scifact")
    data = read_data_set(folder, source="scifact")
    assert (len(data.documents), len(data.cases)) == (1628, 280)
    assert_quotes_stand_where_they_are_said_to(data)
    published: dict[str, set[str]] = {}
    for line in (folder / "qrels.trec").read_text().splitlines():
        question, _, document, _ = line.split()
        published.setdefault(question, set()).add(document)
    assert {case.case_id: relevant_documents(case) for case in data.cases} == published


def test_scifacts_evidence_sentences_are_spans_and_a_claim_without_any_has_whole_documents(shared: Shared) -> None:
    folder = shared("data/scifact")
    abstracts = {row["_id"]: row for row in lines(folder / "corpus.jsonl")}
    cases = {case.case_id: case for case in read_data_set(folder, source="scifact").cases}
    for claim in lines(folder / "claims.jsonl"):
        case = cases[claim["id"]]
        for doc_id in claim["cited_doc_ids"]:
            rationales = claim["evidence"].get(doc_id, [])
            expected = {abstracts[doc_id]["sentences"][n] for r in rationales for n in r["sentences"]} or {None}
            assert {e.quote for e in case.evidence if e.doc_id == doc_id} == expected
        labels = {r["label"] for rationales in claim["evidence"].values() for r in rationales}
        assert case.metadata["label"] == (labels.pop() if labels else "NOT_ENOUGH_INFO")
    kinds = Counter(case.metadata["label"] for case in cases.values())
    assert set(kinds) == {"SUPPORT", "CONTRADICT", "NOT_ENOUGH_INFO"}


def test_a_document_is_found_whole_exactly_when_one_rationale_is(tmp_path: Path) -> None:
    """Rationales {0} or {1, 2}: the groups are (0 or 1) and (0 or 2)."""
    write(tmp_path / "corpus.jsonl", {"_id": "d", "title": "T", "sentences": ["a.", "b.", "c."]})
    evidence = {"d": [{"label": "SUPPORT", "sentences": [0]}, {"label": "SUPPORT", "sentences": [1, 2]}]}
    write(tmp_path / "claims.jsonl", {"id": "1", "claim": "?", "cited_doc_ids": ["d"], "evidence": evidence})
    (case,) = read_data_set(tmp_path, source="scifact").cases
    groups: dict[str | None, set[str | None]] = {}
    for piece in case.evidence:
        groups.setdefault(piece.group, set()).add(piece.quote)
    assert list(groups.values()) == [{"a.", "b."}, {"a.", "c."}]


def test_scifact_reports_all_its_faults_with_their_lines(tmp_path: Path) -> None:
    write(tmp_path / "corpus.jsonl", {"_id": "d", "title": "T", "sentences": ["a."]})
    far = {"d": [{"label": "SUPPORT", "sentences": [7]}]}
    write(
        tmp_path / "claims.jsonl",
        {"id": "1", "claim": "?", "cited_doc_ids": ["x"], "evidence": {}},
        {"id": "2", "claim": "?", "cited_doc_ids": ["d"], "evidence": far},
    )
    with pytest.raises(BadInput) as caught:
        read_data_set(tmp_path, source="scifact")
    assert [(f.line, f.message) for f in caught.value.faults] == [
        (1, "claim '1' cites 'x', which is not in corpus.jsonl"),
        (2, "claim '2': 'd' has no sentence 7"),
    ]


def test_cranfields_grades_are_turned_so_that_four_is_a_complete_answer(shared: Shared) -> None:
    folder = shared("data/cranfield")
    data = read_data_set(folder, source="cranfield")
    assert (len(data.documents), len(data.cases)) == (1400, 112)
    expected = {
        (q, d): 5 - int(g) for q, _, d, g in (line.split() for line in (folder / "qrels.trec").read_text().splitlines())
    }
    assert {(c.case_id, e.doc_id): e.grade for c in data.cases for e in c.evidence} == expected
    assert Counter(expected.values()) == {4: 164, 3: 199, 2: 348, 1: 186}


def test_cranfields_judged_and_worthless_documents_have_grade_zero(tmp_path: Path) -> None:
    write(tmp_path / "corpus.jsonl", *({"_id": d, "title": "", "text": d} for d in "abc"))
    write(tmp_path / "queries.jsonl", {"_id": "1", "text": "why"})
    (tmp_path / "qrels.trec").write_text("1 0 a 1\n1 0 b 5\n1 0 c -1\n")
    (case,) = read_data_set(tmp_path, source="cranfield").cases
    assert {e.doc_id: e.grade for e in case.evidence} == {"a": 4, "b": 0, "c": 0}
    (tmp_path / "qrels.trec").write_text("1 0 a 6\n2 0 b 1\n")
    with pytest.raises(BadInput, match=r"(?s)has grade 6.*question '2' has judgements and no text"):
        read_data_set(tmp_path, source="cranfield")


@pytest.mark.parametrize(("source", "asked", "answered"), [("xquad:ru", "ru", "ru"), ("xquad:ru>en", "ru", "en")])
def test_xquad_asks_in_one_language_and_answers_in_another(
    shared: Shared, source: str, asked: str, answered: str
) -> None:
    folder = shared("data/xquad")
    data = read_data_set(folder, source=source)
    assert (len(data.documents), len(data.cases)) == (95, 448)
    assert {document.language for document in data.documents} == {answered}
    assert {case.language for case in data.cases} == {asked}
    assert_quotes_stand_where_they_are_said_to(data)
    questions = {row["id"]: row["question"] for row in lines(folder / f"{asked}.questions.jsonl")}
    gold = {row["id"]: row for row in lines(folder / f"{answered}.questions.jsonl")}
    for case in data.cases:
        assert case.question == questions[case.case_id]
        assert relevant_documents(case) == {gold[case.case_id]["paragraph_id"]}
        assert case.expected.answer == gold[case.case_id]["answers"][0]["text"]


def test_xquad_needs_a_language_that_is_there(shared: Shared) -> None:
    folder = shared("data/xquad")
    for source in ("xquad", "xquad:de", "xquad:ru>de", "xquad:>"):
        with pytest.raises(BadInput, match=r"needs a language, as in 'xquad:ar'.*here are: ar, en, hi, ru"):
            read_data_set(folder, source=source)


def test_an_answer_that_does_not_stand_where_it_is_said_to_is_a_fault(tmp_path: Path) -> None:
    write(tmp_path / "en.paragraphs.jsonl", {"_id": "p", "title": "T", "text": "one two"})
    answer = {"answer_start": 3, "text": "two"}
    write(tmp_path / "en.questions.jsonl", {"id": "q", "paragraph_id": "p", "question": "?", "answers": [answer]})
    with pytest.raises(BadInput, match=r"en\.questions\.jsonl:1: question 'q': the answer 'two' does not stand at 3"):
        read_data_set(tmp_path, source="xquad:en")


@pytest.fixture
def beir_folder(tmp_path: Path) -> Path:
    write(
        tmp_path / "corpus.jsonl",
        {"_id": "d1", "title": "Wings", "text": "A wing lifts.", "metadata": {"url": "x"}},
        {"_id": "d2", "title": "", "text": "No title."},
    )
    write(tmp_path / "queries.jsonl", *({"_id": f"q{i}", "text": f"question {i}", "metadata": {}} for i in (1, 2, 3)))
    (tmp_path / "qrels").mkdir()
    heading = "query-id\tcorpus-id\tscore\n"
    (tmp_path / "qrels" / "test.tsv").write_text(f"{heading}q1\td1\t2\nq1\td2\t0\n")
    (tmp_path / "qrels" / "train.tsv").write_text(f"{heading}q2\td2\t1\r\n\r\n")
    return tmp_path


def test_a_beir_folder_gives_a_case_for_each_judged_query_with_its_split(beir_folder: Path) -> None:
    data = read_data_set(beir_folder, source="beir")
    assert [(d.doc_id, d.title, d.text) for d in data.documents] == [
        ("d1", "Wings", "Wings\nA wing lifts."),
        ("d2", "", "No title."),
    ]
    assert [(c.case_id, c.split, [(e.doc_id, e.grade) for e in c.evidence]) for c in data.cases] == [
        ("q1", "test", [("d1", 2), ("d2", 0)]),
        ("q2", "train", [("d2", 1)]),
    ]


def test_a_beir_folder_reports_queries_without_text_and_queries_of_two_splits(beir_folder: Path) -> None:
    (beir_folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq9\td1\t1\n")
    with pytest.raises(BadInput) as caught:
        read_data_set(beir_folder, source="beir")
    assert [f.message for f in caught.value.faults] == [
        "query 'q9' has judgements and no text in queries.jsonl",
        "query 'q1' is judged in 'dev' as well",
    ]


def test_beir_judgements_need_their_heading_and_three_fields(beir_folder: Path) -> None:
    (beir_folder / "qrels" / "test.tsv").write_text("q1\td1\t1\nq1 d2 1\nq1\td2\thigh\n")
    with pytest.raises(BadInput) as caught:
        read_data_set(beir_folder, source="beir")
    assert [fault.line for fault in caught.value.faults] == [1, 2, 3]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("scifcat", r"there is no source 'scifcat'\. Did you mean 'scifact'"),
        ("scifact:ru", "takes no option"),
        ("trec", "holds no documents and cases"),
    ],
)
def test_a_source_that_cannot_be_read_so_says_why(tmp_path: Path, source: str, message: str) -> None:
    (tmp_path / "run").write_text("q1 Q0 a 1 1 t\n")
    with pytest.raises(BadInput, match=message):
        read_data_set(tmp_path / "run", source=source)
