"""Chunking measured on cases worked by hand, and coherence against plain numpy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.chunk_views import (
    AttributionView,
    BorderLabelsView,
    BordersView,
    EvidenceSplitView,
    HierarchyView,
)
from ragtriage.core.score import Undefined, Value
from ragtriage.metrics.ingest.boundary_quality import boundary_quality
from ragtriage.metrics.ingest.boundary_violations import boundary_violations
from ragtriage.metrics.ingest.chunk_attribution import chunk_attribution
from ragtriage.metrics.ingest.chunk_coherence import chunk_coherence
from ragtriage.metrics.ingest.evidence_split import evidence_split
from ragtriage.metrics.ingest.hierarchy import hierarchy
from ragtriage.stats.sentence_pairs import sentence_pairs

ANGLES = (0, 10, 20, 90, 100)  # two subjects: three sentences on one, two on another
VECTORS = np.array([[math.cos(math.radians(a)), math.sin(math.radians(a))] for a in ANGLES]) * [[1], [2], [3], [4], [5]]


def cosine(degrees: int) -> float:
    return math.cos(math.radians(degrees))


def test_coherence_is_the_mean_within_minus_the_mean_across() -> None:
    within = [cosine(10), cosine(20), cosine(10), cosine(10)]
    across = [cosine(d) for d in (90, 100, 80, 90, 70, 80)]
    score = chunk_coherence(sentence_pairs(VECTORS, ((0, 1, 2), (3, 4))))
    assert isinstance(score, Value)
    assert score.value == pytest.approx(sum(within) / 4 - sum(across) / 6, abs=1e-12)
    assert score.support == 10
    wrong_cut = chunk_coherence(sentence_pairs(VECTORS, ((0, 1), (2, 3, 4))))
    assert isinstance(wrong_cut, Value)
    assert wrong_cut.value < score.value


def test_coherence_of_adjacent_sentences_leaves_distance_out() -> None:
    score = chunk_coherence(sentence_pairs(VECTORS, ((0, 1, 2), (3, 4))), pairs="adjacent")
    assert isinstance(score, Value)
    assert score.value == pytest.approx(cosine(10) - cosine(70), abs=1e-12)
    assert score.support == 4


def test_a_sentence_in_an_overlap_is_not_compared_with_itself() -> None:
    score = chunk_coherence(sentence_pairs(VECTORS, ((0, 1, 2), (2, 3, 4))))
    within = [cosine(d) for d in (10, 20, 10, 70, 80, 10)]
    across = [cosine(d) for d in (90, 100, 80, 90)]
    assert isinstance(score, Value)
    assert score.value == pytest.approx(sum(within) / 6 - sum(across) / 4, abs=1e-12)


@pytest.mark.parametrize(
    ("vectors", "chunks"),
    [
        (VECTORS, ((0, 1, 2, 3, 4),)),
        (VECTORS, ((0, 1, 2, 3, 4), ())),
        (VECTORS[:1], ((0,), (0,))),
        (VECTORS[:2], ((0,), (1,))),
        (np.zeros((3, 2)), ((0, 1), (2,))),
        (VECTORS[:0], ()),
    ],
)
def test_coherence_without_both_kinds_of_pairs_is_undefined(
    vectors: np.ndarray[tuple[int, int], np.dtype[np.float64]], chunks: tuple[tuple[int, ...], ...]
) -> None:
    assert isinstance(chunk_coherence(sentence_pairs(vectors, chunks)), Undefined)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.integers(1, 4), min_size=2, max_size=5))
def test_coherence_equals_a_plain_double_loop(seed: int, sizes: list[int]) -> None:
    vectors = np.random.default_rng(seed).normal(size=(sum(sizes), 7)).astype(np.float32)
    edges = [0, *itertools.accumulate(sizes)]
    chunks = tuple(tuple(range(a, b)) for a, b in itertools.pairwise(edges))
    within, across = [], []
    for i in range(len(vectors)):
        for j in range(i + 1, len(vectors)):
            a, b = vectors[i].astype(float), vectors[j].astype(float)
            value = float(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b))
            place = [next(n for n, c in enumerate(chunks) if at in c) for at in (i, j)]
            if place[0] == place[1]:
                within.append(value)
            elif place[1] == place[0] + 1:
                across.append(value)
    score = chunk_coherence(sentence_pairs(vectors, chunks))
    if not within:
        assert isinstance(score, Undefined)
    else:
        assert isinstance(score, Value)
        assert score.value == pytest.approx(np.mean(within) - np.mean(across), abs=1e-9)


def test_violations_count_borders_by_what_they_cut() -> None:
    text = (
        "Intro. More.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one thing\n- two things\n\n1.1. Clause text here.\n\nEnd."
    )
    places = [7, 24, text.index("thing\n"), text.index("- two"), text.index("text here"), text.index("End")]
    spans = tuple(itertools.pairwise([0, *places, len(text)]))
    view = BordersView(text, spans)
    expected = {"any": 3, "table": 1, "item": 1, "clause": 1, "code": 0, "sentence": 2}
    for kind, count in expected.items():
        score = boundary_violations(view, kind=kind)  # type: ignore[arg-type]
        assert score == Value(count / 6, support=6), kind


def test_a_document_of_one_chunk_has_no_borders() -> None:
    assert isinstance(boundary_violations(BordersView("One. Two.", ((0, 9),))), Undefined)
    assert isinstance(boundary_violations(BordersView("", ())), Undefined)


def test_borders_that_nobody_labelled_are_undefined() -> None:
    assert boundary_quality(BorderLabelsView((False, True))) == Value(0.5, support=2)
    assert isinstance(boundary_quality(BorderLabelsView(())), Undefined)


def test_evidence_is_split_where_no_single_chunk_holds_it_even_if_two_together_do() -> None:
    chunks = {"d": ((0, 10), (8, 20), (20, 30)), "e": ()}
    spans = (("d", 0, 10), ("d", 8, 12), ("d", 7, 11), ("d", 18, 22), ("e", 0, 1), ("f", 0, 1))
    assert evidence_split(EvidenceSplitView(spans, chunks)) == Value(4 / 6, support=6)
    assert isinstance(evidence_split(EvidenceSplitView(spans, None)), Undefined)
    assert isinstance(evidence_split(EvidenceSplitView((), chunks)), Undefined)


@pytest.mark.parametrize(
    ("view", "right"),
    [
        (AttributionView("text", 5, 9, "some text", True), ("document", "offsets", "text", "anchor", "all")),
        (AttributionView("text", 5, 9, "some text", False), ("document", "offsets", "text")),
        (AttributionView("text", 5, 9, "some text", None), ("document", "offsets", "text", "all")),
        (AttributionView("text", 0, 4, "some text", True), ("document", "offsets", "anchor")),
        (AttributionView("text", 5, 10, "some text", True), ("document", "anchor")),
        (AttributionView("", 5, 5, "some text", True), ("document", "anchor")),
        (AttributionView("text", -4, 9, "some text", True), ("document", "anchor")),
        (AttributionView("text", 0, 4, None, True), ("anchor",)),
    ],
)
def test_a_pointer_resolves_part_by_part(view: AttributionView, right: tuple[str, ...]) -> None:
    for part in ("document", "offsets", "text", "anchor", "all"):
        if part == "anchor" and view.anchored is None:
            assert isinstance(chunk_attribution(view, of="anchor"), Undefined)
        else:
            assert chunk_attribution(view, of=part) == Value(float(part in right), support=1), part  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("view", "document", "section", "path"),
    [
        (HierarchyView("d", ("A", "B"), "d", ("A", "B")), 1, 1, 1),
        (HierarchyView("d", ("B",), "d", ("A", "B")), 1, 1, 0),
        (HierarchyView("d", ("A",), "d", ("A", "B")), 1, 0, 0),
        (HierarchyView("d", (), "d", ()), 1, 1, 1),
        (HierarchyView("d", (), "d", ("A",)), 1, 0, 0),
        (HierarchyView("d", ("A",), "d", ()), 1, 0, 0),
        (HierarchyView("d", ("A  B",), "d", ("A B ",)), 1, 1, 1),
        (HierarchyView("d", ("A", "B"), "e", ("A", "B")), 0, 0, 0),
        (HierarchyView("d", ("A", "B"), None, None), 0, 0, 0),
    ],
)
def test_hierarchy_has_three_numbers(view: HierarchyView, document: int, section: int, path: int) -> None:
    assert hierarchy(view, of="document") == Value(document, support=1)
    assert hierarchy(view, of="section") == Value(section, support=1)
    assert hierarchy(view, of="path") == Value(path, support=1)


def test_a_place_that_is_not_known_is_undefined_but_the_document_is_not() -> None:
    view = HierarchyView("d", ("A",), "d", None)
    assert hierarchy(view, of="document") == Value(1, support=1)
    assert isinstance(hierarchy(view, of="section"), Undefined)
    assert isinstance(hierarchy(view), Undefined)
