from __future__ import annotations

import dataclasses
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings, RunPair
from ragtriage.metrics.retrieval.kendall_tau import kendall_tau
from ragtriage.metrics.retrieval.rank_overlap import rank_overlap

LISTS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


def runs(first: list[str], second: list[str]) -> RunPair:
    return RunPair(Rankings.of([first], [{}]), Rankings.of([second], [{}]))


def overlap(first: list[str], second: list[str], p: float = 0.9) -> float:
    score = rank_overlap(runs(first, second), p=p)[0]
    assert isinstance(score, Value)
    return score.value


def test_rbo_gives_the_published_value_of_rankmeasures() -> None:
    """b4ny4n/rankmeasures prints 0.828 for these lists at p = 0.9."""
    assert overlap(list("12345"), list("23415")) == pytest.approx(0.828, abs=1e-9)


def test_rbo_over_all_ways_to_break_ties_gives_the_value_published_for_ties() -> None:
    """Corsi and Urbano 2024: RBO^a of two tied lists of 5 and 7 items is 0.6922853 at p = 0.95.

    RBO^a is the mean over all orders of the tied items, so it judges RBO_ext for lists of unequal length.
    """
    values = [
        overlap(["red", *x, "yellow", "pink"], [*y, "white", *z, "green"], p=0.95)
        for x in permutations(["blue", "green"])
        for y in permutations(["blue", "red"])
        for z in permutations(["yellow", "black", "purple"])
    ]
    assert sum(values) / len(values) == pytest.approx(0.6922853, abs=5e-8)


def test_rbo_of_equal_lists_is_one_and_of_disjoint_or_empty_ones_zero() -> None:
    assert overlap(["a", "b"], ["a", "b"]) == pytest.approx(1)
    assert overlap(["a"], ["b"]) == 0
    assert overlap(["a"], []) == 0
    assert isinstance(rank_overlap(runs([], []))[0], Undefined)
    with pytest.raises(ValueError, match="above 0 and below 1"):
        rank_overlap(runs(["a"], ["a"]), p=1)


@given(LISTS, LISTS)
def test_rbo_is_symmetric(first: list[str], second: list[str]) -> None:
    assert list(rank_overlap(runs(first, second))) == list(rank_overlap(runs(second, first)))


@given(LISTS, LISTS)
def test_kendalls_tau_agrees_with_scipy_on_the_union_of_the_lists(first: list[str], second: list[str]) -> None:
    items = sorted({*first, *second})
    places = [[found.index(i) if i in found else len(found) for i in items] for found in (first, second)]
    score = kendall_tau(runs(first, second))[0]
    if len(items) < 2 or any(len(set(column)) < 2 for column in places):
        assert isinstance(score, Undefined)
    else:
        assert isinstance(score, Value)
        assert score.value == pytest.approx(kendalltau(*places).statistic, abs=1e-12)


def test_tau_is_one_for_the_same_order_and_minus_one_for_the_opposite() -> None:
    assert kendall_tau(runs(["a", "b", "c"], ["a", "b", "c"]))[0] == Value(1.0, 1)
    assert kendall_tau(runs(["a", "b", "c"], ["c", "b", "a"]))[0] == Value(-1.0, 1)


def test_agreement_is_undefined_where_ids_are_not_known() -> None:
    bare = dataclasses.replace(Rankings.of([["a", "b"]], [{}]), ids=None)
    for metric in (rank_overlap, kendall_tau):
        assert isinstance(metric(RunPair(bare, bare))[0], Undefined)
