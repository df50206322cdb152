"""Relevance at three levels, for any chunking, against a slow implementation over sets of code points."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.records import Case, Chunk, Document, Evidence, Principal
from ragtriage.data.corpus import Corpus, corpus_of
from ragtriage.data.relevance import (
    Gold,
    GoldGroup,
    GoldSpan,
    Passage,
    chunk_grade,
    coverable_groups,
    document_grades,
    found_at,
    gold_of,
    split_groups,
)

DOC = st.sampled_from(["d", "e"])
OVERLAPS = st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(7, 10), Fraction(1)])


@st.composite
def spans(draw: st.DrawFn) -> GoldSpan:
    doc_id, start = draw(DOC), draw(st.integers(0, 20))
    if draw(st.integers(0, 5)) == 0:
        return GoldSpan(doc_id, None, None, draw(st.integers(1, 3)))
    return GoldSpan(doc_id, start, start + draw(st.integers(1, 12)), draw(st.integers(1, 3)))


@st.composite
def passages(draw: st.DrawFn) -> Passage:
    doc_id, start = draw(st.none() | DOC), draw(st.integers(0, 30))
    if draw(st.integers(0, 6)) == 0:
        return Passage(draw(st.text("abc", min_size=1, max_size=3)), doc_id)
    return Passage(draw(st.text("abc", min_size=1, max_size=3)), doc_id, start, start + draw(st.integers(0, 15)))


GOLDS = st.lists(st.lists(spans(), min_size=1, max_size=3), max_size=4).map(
    lambda groups: Gold(tuple(GoldGroup(f"g{n}", tuple(members)) for n, members in enumerate(groups)), ())
)


def points(doc_id: str | None, start: int | None, end: int | None) -> set[tuple[str | None, int]]:
    return set() if start is None or end is None else {(doc_id, place) for place in range(start, end)}


def slow_found_at(gold: Gold, ranked: list[Passage], share: Fraction) -> dict[str, int]:
    found: dict[str, int] = {}
    for k in range(len(ranked)):
        seen = set().union(*(points(p.doc_id, p.start, p.end) for p in ranked[: k + 1]))
        documents = {p.doc_id for p in ranked[: k + 1]}
        for group in gold.groups:
            for span in group.alternatives:
                wanted = points(span.doc_id, span.start, span.end)
                covered = len(wanted & seen) >= share * len(wanted) and wanted & seen
                if (span.start is None and span.doc_id in documents) or covered:
                    found.setdefault(group.name, k)
    return found


@settings(max_examples=300, deadline=None)
@given(GOLDS, st.lists(passages(), max_size=6), OVERLAPS)
def test_groups_are_found_as_by_sets_of_code_points(gold: Gold, ranked: list[Passage], share: Fraction) -> None:
    assert found_at(gold, ranked, min_overlap=float(share)) == slow_found_at(gold, ranked, share)


@settings(max_examples=300, deadline=None)
@given(GOLDS, passages(), OVERLAPS)
def test_a_chunk_has_the_highest_grade_of_a_span_that_it_covers_by_itself(
    gold: Gold, passage: Passage, share: Fraction
) -> None:
    own = points(passage.doc_id, passage.start, passage.end)
    grades = []
    for group in gold.groups:
        for span in group.alternatives:
            wanted = points(span.doc_id, span.start, span.end)
            if wanted and wanted & own and len(wanted & own) >= share * len(wanted):
                grades.append(span.grade)
    assert chunk_grade(gold, passage, min_overlap=float(share)) == max(grades, default=None)


@settings(max_examples=200, deadline=None)
@given(GOLDS, st.lists(passages(), max_size=6), OVERLAPS)
def test_what_is_found_never_gets_lost_with_more_results(gold: Gold, ranked: list[Passage], share: Fraction) -> None:
    before = found_at(gold, ranked[:-1], min_overlap=float(share))
    after = found_at(gold, ranked, min_overlap=float(share))
    assert before.items() <= after.items()


@settings(max_examples=200, deadline=None)
@given(GOLDS, st.integers(1, 15), st.integers(0, 5), OVERLAPS)
def test_a_chunking_without_gaps_can_cover_every_group_with_a_place(
    gold: Gold, size: int, overlap: int, share: Fraction
) -> None:
    step = max(1, size - overlap)
    chunks = {
        doc: [Chunk(chunk_id=f"{doc}{s}", doc_id=doc, start=s, end=s + size, text="") for s in range(0, 40, step)]
        for doc in ("d", "e")
    }
    names = {group.name for group in gold.groups}
    assert coverable_groups(gold, chunks, min_overlap=float(share)) == names
    placed = {g.name for g in gold.groups if any(s.start is not None for s in g.alternatives)}
    assert split_groups(gold, chunks, min_overlap=float(share)) <= placed


def bank() -> Corpus:
    return corpus_of([
        Document(doc_id="open", text="The fee is 1 %. The fee is 1 %."),
        Document(doc_id="staff", text="Staff pay no fee.", acl=("staff",)),
        Document(doc_id="old", text="The fee is 2 %.", valid_to=date(2025, 12, 31)),
    ])  # fmt: skip


def case(*evidence: Evidence, as_of: date | None = date(2026, 5, 1), roles: tuple[str, ...] = ()) -> Case:
    return Case(case_id="c", question="?", evidence=evidence, as_of=as_of, principal=Principal(roles=roles))


def test_evidence_without_a_group_stands_alone_and_groups_hold_alternatives() -> None:
    gold = gold_of(
        case(
            Evidence(doc_id="open", start=0, end=15),
            Evidence(doc_id="open", start=16, end=31, group="a", grade=2),
            Evidence(doc_id="open", start=0, end=15, group="a"),
            Evidence(doc_id="staff", grade=0),
        ),
        bank(),
    )
    assert [(g.name, len(g.alternatives), g.grade) for g in gold.needed] == [("open[0:15]", 1, 1), ("a", 2, 2)]
    assert document_grades(gold) == {"open": 2, "staff": 0}


def test_a_document_hidden_by_the_acl_is_no_retrieval_miss() -> None:
    hidden = case(Evidence(doc_id="staff", start=0, end=5), Evidence(doc_id="open", start=0, end=15))
    gold = gold_of(hidden, bank())
    assert [group.name for group in gold.needed] == ["open[0:15]"]
    assert document_grades(gold) == {"open": 1, "staff": 0}
    assert chunk_grade(gold, Passage("c", "staff", 0, 17), min_overlap=0.5) == 0
    shown = gold_of(hidden.model_copy(update={"principal": Principal(roles=("staff",))}), bank())
    assert len(shown.needed) == 2


def test_a_document_that_is_out_of_force_is_no_retrieval_miss() -> None:
    assert gold_of(case(Evidence(doc_id="old")), bank()).needed == ()
    assert len(gold_of(case(Evidence(doc_id="old"), as_of=date(2025, 1, 1)), bank()).needed) == 1
    assert len(gold_of(case(Evidence(doc_id="old"), as_of=None), bank()).needed) == 1


def test_a_document_that_the_corpus_lost_stays_needed() -> None:
    gold = gold_of(case(Evidence(doc_id="gone", start=0, end=4)), bank())
    assert [group.name for group in gold.needed] == ["gone[0:4]"]
    assert not gold.needed[0].alternatives[0].known


def test_a_quote_without_offsets_is_found_where_it_stands_once() -> None:
    once = gold_of(case(Evidence(doc_id="staff", quote="no fee"), roles=("staff",)), bank())
    span = once.needed[0].alternatives[0]
    assert (span.start, span.end) == (10, 16)
    twice = gold_of(case(Evidence(doc_id="open", quote="The fee")), bank())
    assert found_at(twice, [Passage("c", "open", 0, 31)], min_overlap=0.5) == {}


@pytest.mark.parametrize(("pieces", "found"), [([(0, 3)], False), ([(0, 3), (7, 10)], True), ([(0, 3), (1, 4)], False)])
def test_the_union_of_results_counts_not_their_sum(pieces: list[tuple[int, int]], *, found: bool) -> None:
    gold = Gold((GoldGroup("a", (GoldSpan("d", 0, 10, 1),)),), ())
    ranked = [Passage(str(n), "d", start, end) for n, (start, end) in enumerate(pieces)]
    assert bool(found_at(gold, ranked, min_overlap=0.6)) is found


def test_a_span_cut_in_three_is_split_but_can_be_covered() -> None:
    gold = Gold((GoldGroup("a", (GoldSpan("d", 10, 40, 1),)),), ())
    chunks = {"d": [Chunk(chunk_id=str(s), doc_id="d", start=s, end=s + 10, text="") for s in range(0, 50, 10)]}
    assert coverable_groups(gold, chunks, min_overlap=0.5) == {"a"}
    assert split_groups(gold, chunks, min_overlap=0.5) == {"a"}
    assert coverable_groups(gold, {"d": chunks["d"][:2]}, min_overlap=0.5) == frozenset()
