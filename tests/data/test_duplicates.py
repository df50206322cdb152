"""What stands twice in a golden set and its corpus, and detectors against labels."""

from __future__ import annotations

from datetime import date
from itertools import combinations
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.duplicate_views import DuplicatesView, Pair
from ragtriage.core.errors import BadInput
from ragtriage.core.records import Case, Document, Principal
from ragtriage.core.score import Value
from ragtriage.data.duplicates import (
    LabelledPair,
    duplicate_groups,
    read_judged,
    read_pairs,
    repeated_documents,
    repeated_questions,
    view_of_duplicates,
)
from ragtriage.metrics.ingest.duplicate_precision import duplicate_precision
from ragtriage.metrics.ingest.duplicate_recall import duplicate_recall
from ragtriage.metrics.ingest.false_merge_rate import false_merge_rate
from ragtriage.metrics.ingest.missed_merge_rate import missed_merge_rate
from ragtriage.text.similarity import jaccard, shingles

QUESTION = "What does a gold card of the bank cost in the first year?"


def documents(**texts: str) -> dict[str, Document]:
    return {name: Document(doc_id=name, text=text) for name, text in texts.items()}


def test_a_question_of_the_test_split_that_stands_in_dev_leaks_whoever_asks() -> None:
    cases = [
        Case(case_id="dev-1", question=QUESTION, split="dev"),
        Case(case_id="test-1", question=QUESTION.upper(), split="test", principal=Principal(roles=("employee",))),
        Case(case_id="test-2", question="How do I close an account?", split="test"),
    ]
    (leak,) = repeated_questions(cases, threshold=0.8)
    assert (leak.first, leak.second, leak.similarity, leak.leak, leak.expected) == ("dev-1", "test-1", 1.0, True, "")


def test_in_one_split_the_same_question_of_another_principal_or_date_is_meant() -> None:
    cases = [
        Case(case_id="a", question=QUESTION),
        Case(case_id="b", question=QUESTION, principal=Principal(roles=("employee",))),
        Case(case_id="c", question=QUESTION, as_of=date(2024, 1, 1)),
        Case(case_id="d", question=QUESTION),
    ]
    told = {(r.first, r.second): r.expected for r in repeated_questions(cases, threshold=0.8)}
    assert told == {
        ("a", "b"): "another principal asks",
        ("a", "c"): "asked at another date",
        ("a", "d"): "",
        ("b", "c"): "another principal asks",
        ("b", "d"): "another principal asks",
        ("c", "d"): "asked at another date",
    }


def test_questions_with_other_numbers_ask_for_something_else() -> None:
    long = "What is the fee for a transfer of more than {} euros to a bank abroad from a business account?"
    cases = [Case(case_id=n, question=long.format(n)) for n in ("100", "500", "٥٠٠")]
    assert [(r.first, r.second) for r in repeated_questions(cases, threshold=0.8)] == [("500", "٥٠٠")]


def test_versions_of_one_document_are_meant_to_be_alike() -> None:
    text = "The yearly fee of the gold card is one percent and is due in January of each year"
    corpus = documents(v1=text, copy=text)
    corpus["v2"] = Document(doc_id="v2", text=text, supersedes="v1")
    corpus["v3"] = Document(doc_id="v3", text=text, supersedes="v2")
    told = {(r.first, r.second): r.expected for r in repeated_documents(corpus, threshold=0.8)}
    assert told == {
        ("v1", "copy"): "",
        ("v1", "v2"): "versions of one document",
        ("v1", "v3"): "versions of one document",
    }


def test_the_bank_is_compared_as_all_its_pairs_are_by_exact_jaccard(root: Path) -> None:
    from ragtriage.data.corpus import read_corpus  # noqa: PLC0415

    corpus = read_corpus(root / "examples/bank/corpus").documents
    sets = {name: shingles(document.text, size=3) for name, document in corpus.items()}
    expected = {pair for pair in combinations(corpus, 2) if jaccard(sets[pair[0]], sets[pair[1]]) >= 0.3}
    assert {(r.first, r.second) for r in repeated_documents(corpus, threshold=0.3)} == expected
    assert len(expected) > 5


def test_what_is_found_is_held_against_labels_and_so_is_what_another_detector_found() -> None:
    corpus = documents(a="one two three four", b="one two three four", c="five six seven", d="one two three four")
    labels = [LabelledPair(first="b", second="a"), LabelledPair(first="a", second="c", duplicate=False)]
    view = view_of_duplicates(corpus, labels, threshold=0.8)
    assert view.found == {("a", "b"), ("a", "d"), ("b", "d")}
    assert (view.duplicates, view.different) == ({("a", "b")}, {("a", "c")})
    detected = [LabelledPair(first="c", second="a"), LabelledPair(first="a", second="b", duplicate=False)]
    assert view_of_duplicates(corpus, labels, detected=detected, threshold=0.8).found == {("a", "c")}
    assert view_of_duplicates(corpus, labels[:1], threshold=0.8).different is None


PAIRS = list(combinations("abcdefgh", 2))
SOME = st.frozensets(st.sampled_from(PAIRS), max_size=9)


@settings(max_examples=300, deadline=None)
@given(SOME, SOME, st.none() | SOME)
def test_what_is_counted_in_groups_adds_up_to_what_is_counted_in_the_corpus(
    found: frozenset[Pair], duplicates: frozenset[Pair], different: frozenset[Pair] | None
) -> None:
    """Numerators and denominators are whole numbers, so they add up exactly."""
    view = DuplicatesView(found, duplicates, None if different is None else different - duplicates)
    groups = duplicate_groups(view)
    for metric in (duplicate_precision, duplicate_recall, false_merge_rate, missed_merge_rate):
        whole, parts = metric(view), [metric(group.view) for group in groups]
        counted = [(round(part.value * part.support), part.support) for part in parts if isinstance(part, Value)]
        top, bottom = (sum(side) for side in zip(*counted, strict=True)) if counted else (0, 0)
        assert isinstance(whole, Value) is bool(bottom)
        if isinstance(whole, Value):
            assert (round(whole.value * whole.support), whole.support) == (top, bottom)


@settings(max_examples=200, deadline=None)
@given(SOME, SOME, st.none() | SOME)
def test_groups_are_the_components_of_the_graph_of_found_and_labelled_pairs(
    found: frozenset[Pair], duplicates: frozenset[Pair], different: frozenset[Pair] | None
) -> None:
    different = None if different is None else different - duplicates
    groups = duplicate_groups(DuplicatesView(found, duplicates, different))
    components = nx.connected_components(nx.Graph([*found, *duplicates]))
    assert [group.documents for group in groups] == sorted(tuple(sorted(one)) for one in components)
    for group in groups:
        inside = frozenset(combinations(group.documents, 2))
        assert group.view == DuplicatesView(
            found & inside, duplicates & inside, None if different is None else different & inside
        )


def test_thousands_of_copies_of_one_document_are_refused_before_they_fill_the_memory() -> None:
    """5 copies make 10 pairs."""
    corpus = documents(**dict.fromkeys("abcde", "one two three four"), other="five six seven")
    labels = [LabelledPair(first="a", second="b")]
    assert len(view_of_duplicates(corpus, labels, threshold=0.8, most=10).found) == 10
    with pytest.raises(BadInput, match=r"more than 9 pairs .* 5 documents are like 'a'"):
        view_of_duplicates(corpus, labels, threshold=0.8, most=9)


def test_the_faults_of_both_files_of_pairs_are_told_together(tmp_path: Path) -> None:
    labels, detected = tmp_path / "labels.jsonl", tmp_path / "found.jsonl"
    labels.write_text('{"first": "a"}\n')
    detected.write_text('{"first": "a", "second": "a"}\n')
    with pytest.raises(BadInput) as caught:
        read_judged(labels, detected, documents(a="1", b="2"))
    assert [(Path(fault.file).name, fault.line) for fault in caught.value.faults] == [
        ("labels.jsonl", 1),
        ("found.jsonl", 1),
    ]
    labels.write_text("")
    with pytest.raises(BadInput, match=r"labels\.jsonl: holds no pair"):
        read_judged(labels, None, documents(a="1", b="2"))
    labels.write_text('{"first": "b", "second": "a"}\n')
    detected.write_text("")
    assert read_judged(labels, detected, documents(a="1", b="2")) == ([LabelledPair(first="b", second="a")], [])


def test_every_fault_of_a_file_of_pairs_comes_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    lines = ['{"first": "a", "second": "b"}', "", '{"first": "a", "second": "x"}', '{"first": "a", "second": "a"}']
    file.write_text("\n".join([*lines, '{"first": "b", "second": "a", "duplicate": false}']) + "\n")
    with pytest.raises(BadInput) as caught:
        read_pairs(file, documents(a="1", b="2"))
    assert [(fault.line, fault.message) for fault in caught.value.faults] == [
        (3, "'x' is no document of the corpus."),
        (4, "'a' is paired with itself"),
        (5, "the pair stands in line 1 already"),
    ]
