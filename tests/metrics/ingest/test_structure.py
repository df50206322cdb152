"""Reading order, headings, lists and titles of extracted documents."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from scipy.stats import kendalltau

from ragtriage.core.extraction_views import BlocksView, Heading, HeadingsView, ListsView, TitleView
from ragtriage.core.score import Undefined, Value
from ragtriage.metrics.ingest.heading_order import heading_order
from ragtriage.metrics.ingest.list_integrity import list_integrity
from ragtriage.metrics.ingest.reading_order import reading_order
from ragtriage.metrics.ingest.title_exact import title_exact
from ragtriage.metrics.ingest.title_similarity import title_similarity
from ragtriage.metrics.ingest.unmatched_blocks import unmatched_blocks

PARAGRAPHS = (
    "The fee for a transfer abroad is one percent of the sum.",
    "A deposit is paid back on the day after its end.",
    "Cards are blocked by a call to the number on their back.",
    "Ein Kredit wird in zwölf Raten zurückgezahlt, jede am Ersten.",
)


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 12).flatmap(lambda n: st.permutations(range(n))))
def test_reading_order_agrees_with_scipy(order):
    reference = tuple(f"block number {chr(97 + i) * 20}" for i in range(len(order)))
    view = BlocksView(reference, tuple(reference[i] for i in order))
    tau = kendalltau([order.index(i) for i in range(len(order))], range(len(order))).statistic
    assert reading_order(view).value == pytest.approx((tau + 1) / 2)
    assert reading_order(view).support == len(order) * (len(order) - 1) // 2
    assert unmatched_blocks(view).value == 0.0


def noisy(text: str) -> str:
    random.seed(7)
    return "".join(random.choice("#~") if random.random() < 0.1 else c for c in text)


def test_blocks_are_found_in_spite_of_misread_letters_and_white_space():
    given_ = tuple(noisy(PARAGRAPHS[i]).replace(" ", "\n") for i in (1, 0, 2, 3))
    assert reading_order(BlocksView(PARAGRAPHS, given_)) == Value(5 / 6, 6)


def test_blocks_joined_to_one_keep_their_order_inside_it():
    swapped = " ".join((PARAGRAPHS[1], PARAGRAPHS[0], PARAGRAPHS[2]))
    view = BlocksView(PARAGRAPHS, (swapped,))
    assert reading_order(view) == Value(2 / 3, 3)
    assert unmatched_blocks(view) == Value(0.25, 4)


def test_a_block_that_is_repeated_is_found_as_often_as_it_stands_there():
    assert unmatched_blocks(BlocksView(("same", "other", "same"), ("same", "other"))) == Value(1 / 3, 3)
    joined = BlocksView((PARAGRAPHS[0], PARAGRAPHS[0]), (f"{PARAGRAPHS[0]} {PARAGRAPHS[1]}",))
    assert unmatched_blocks(joined) == Value(0.5, 2)


def test_fewer_than_two_blocks_have_no_order():
    assert isinstance(reading_order(BlocksView(("one", "two"), ("one",))), Undefined)
    assert isinstance(reading_order(BlocksView(("one", "two"), None)), Undefined)
    assert unmatched_blocks(BlocksView(("one", "two"), ())) == Value(1.0, 2)
    assert isinstance(unmatched_blocks(BlocksView((), ("one",))), Undefined)


FEES, CARDS, LOANS = Heading(1, "Fees"), Heading(2, "Cards", "Fees"), Heading(2, "Loans", "Fees")


def test_a_heading_needs_its_text_its_level_and_its_parent():
    wrong = (Heading(1, "Fees"), Heading(3, "Cards", "Fees"), Heading(2, "Loans", "Cards"))
    assert heading_order(HeadingsView((FEES, CARDS, LOANS), wrong)) == Value(1 / 3, 3)
    assert heading_order(HeadingsView((FEES, CARDS), (CARDS, FEES))) == Value(1.0, 2)
    assert heading_order(HeadingsView((FEES, FEES), (FEES,))) == Value(0.5, 2)
    assert heading_order(HeadingsView((FEES,), ())) == Value(0.0, 1)


def test_without_headings_in_the_reference_or_in_the_form_there_is_no_number():
    assert isinstance(heading_order(HeadingsView((), (FEES,))), Undefined)
    assert isinstance(heading_order(HeadingsView((FEES,), None)), Undefined)


@pytest.mark.parametrize(
    ("extracted", "whole"),
    [
        ((("one", "two", "three"),), 1.0),
        ((("zero", "one", "two", "three", "four"),), 1.0),
        ((("one", "two"), ("three",)), 0.0),  # torn apart
        ((("one", "three", "two"),), 0.0),  # another order
        ((("one", "between", "two", "three"),), 0.0),
        ((), 0.0),
    ],
)
def test_a_list_is_whole_if_its_items_stand_together_in_order_in_one_list(extracted, whole):
    assert list_integrity(ListsView((("one", "two", "three"),), extracted)) == Value(whole, 1)


def test_two_equal_lists_need_two_places():
    assert list_integrity(ListsView((("a",), ("a", "b")), (("a", "b"),))) == Value(0.5, 2)
    assert list_integrity(ListsView((("a",), ("a", "b")), (("a", "b", "a"),))) == Value(1.0, 2)
    assert isinstance(list_integrity(ListsView(((),), (("a",),))), Undefined)


@settings(max_examples=100, deadline=None)
@given(st.text("abc é", min_size=1, max_size=12), st.text("abc é", max_size=12))
def test_title_similarity_is_that_of_rapidfuzz_after_white_space_is_folded(gold, found):
    first, second = " ".join(gold.split()), " ".join(found.split())
    if first:
        expected = 1 - Levenshtein.distance(first, second) / max(len(first), len(second))
        assert title_similarity(TitleView(gold, found)).value == pytest.approx(expected)
        assert title_exact(TitleView(gold, found)).value == float(first == second)


def test_a_missing_title_scores_0_and_an_empty_gold_title_nothing():
    assert title_exact(TitleView("Fees", "")) == title_similarity(TitleView("Fees", "")) == Value(0.0, 1)
    for metric in (title_exact, title_similarity):
        assert isinstance(metric(TitleView(" ", "Fees")), Undefined)
        assert isinstance(metric(TitleView("Fees", None)), Undefined)
