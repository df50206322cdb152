"""Detected near-duplicates against labels: sklearn over all pairs, exact Jaccard, and merges worked out by hand."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score

from ragtriage.core.duplicate_views import DuplicatesView, pairs_of
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest.duplicate_precision import duplicate_precision
from ragtriage.metrics.ingest.duplicate_recall import duplicate_recall
from ragtriage.metrics.ingest.false_merge_rate import false_merge_rate
from ragtriage.metrics.ingest.missed_merge_rate import missed_merge_rate

PAIRS = list(combinations("abcdefg", 2))
SOME = st.frozensets(st.sampled_from(PAIRS), max_size=12)


def assert_is(score: Score, value: float, *, of: int) -> None:
    if of:
        assert isinstance(score, Value)
        assert score.value == pytest.approx(value, abs=1e-12)
        assert score.support == of
    else:
        assert isinstance(score, Undefined)


@settings(max_examples=200, deadline=None)
@given(SOME, SOME, st.none() | SOME)
def test_precision_and_recall_are_those_of_sklearn(
    found: frozenset[tuple[str, str]],
    duplicates: frozenset[tuple[str, str]],
    different: frozenset[tuple[str, str]] | None,
) -> None:
    different = None if different is None else different - duplicates
    view = DuplicatesView(found, duplicates, different)
    judged = PAIRS if different is None else sorted(duplicates | different)
    truth, guess = ([pair in side for pair in judged] for side in (duplicates, found))
    expected = (
        (precision_score(truth, guess, zero_division=0), recall_score(truth, guess, zero_division=0))
        if judged
        else (0, 0)
    )
    assert_is(duplicate_precision(view), expected[0], of=sum(guess))
    assert_is(duplicate_recall(view), expected[1], of=sum(truth))


@settings(max_examples=200, deadline=None)
@given(SOME, SOME, st.none() | SOME)
def test_merges_are_those_of_the_components_of_the_graph(
    found: frozenset[tuple[str, str]],
    duplicates: frozenset[tuple[str, str]],
    different: frozenset[tuple[str, str]] | None,
) -> None:
    different = None if different is None else different - duplicates
    view = DuplicatesView(found, duplicates, different)
    merged = {
        pair for group in nx.connected_components(nx.Graph(list(found))) for pair in combinations(sorted(group), 2)
    }
    judged = merged if different is None else merged & (duplicates | different)
    assert_is(false_merge_rate(view), len(judged - duplicates) / max(len(judged), 1), of=len(judged))
    assert_is(missed_merge_rate(view), len(duplicates - merged) / max(len(duplicates), 1), of=len(duplicates))


def test_a_chain_of_right_pairs_merges_what_does_not_belong_together() -> None:
    """Each pair of neighbours is right, and yet 3 of the 6 merged pairs are no duplicates."""
    chain = pairs_of([("a", "b"), ("b", "c"), ("c", "d")])
    view = DuplicatesView(found=chain, duplicates=chain)
    assert duplicate_precision(view) == Value(1.0, 3)
    assert false_merge_rate(view) == Value(0.5, 6)
    assert missed_merge_rate(view) == Value(0.0, 3)


def test_a_detector_that_finds_nothing_misses_everything_and_has_no_precision() -> None:
    view = DuplicatesView(found=frozenset(), duplicates=pairs_of([("a", "b")]))
    assert duplicate_precision(view) == Undefined("no pair was detected")
    assert duplicate_recall(view) == Value(0.0, 1)
    assert false_merge_rate(view) == Undefined("no labelled pair is merged")
    assert missed_merge_rate(view) == Value(1.0, 1)


def test_pairs_without_a_label_do_not_count_where_pairs_are_labelled_as_different() -> None:
    view = DuplicatesView(
        pairs_of([("a", "b"), ("c", "d"), ("e", "f")]), pairs_of([("a", "b")]), pairs_of([("c", "d")])
    )
    assert duplicate_precision(view) == Value(0.5, 2)
    assert false_merge_rate(view) == Value(0.5, 2)
    alone = DuplicatesView(pairs_of([("e", "f")]), pairs_of([("a", "b")]), frozenset())
    assert duplicate_precision(alone) == Undefined("no detected pair is labelled")


def test_a_pair_names_two_documents_and_has_one_label() -> None:
    with pytest.raises(ValueError, match="paired with itself"):
        pairs_of([("a", "a")])
    with pytest.raises(ValueError, match="the smaller id first"):
        DuplicatesView(frozenset({("b", "a")}), frozenset())
    with pytest.raises(ValueError, match="labelled as duplicates and as different"):
        DuplicatesView(frozenset(), pairs_of([("a", "b")]), pairs_of([("b", "a")]))
