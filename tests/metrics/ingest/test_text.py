"""Completeness, excess, length, tokens and boilerplate of extracted texts."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.extraction_views import BoilerplateView, ExtractionView
from ragtriage.core.score import Undefined, Value
from ragtriage.metrics.ingest.boilerplate_precision import boilerplate_precision
from ragtriage.metrics.ingest.boilerplate_recall import boilerplate_recall
from ragtriage.metrics.ingest.text_completeness import text_completeness
from ragtriage.metrics.ingest.text_excess import text_excess
from ragtriage.metrics.ingest.text_ratio import text_ratio
from ragtriage.metrics.ingest.token_f1 import token_f1
from ragtriage.metrics.ingest.token_precision import token_precision
from ragtriage.metrics.ingest.token_recall import token_recall


def obvious(first: str, second: str) -> int:
    """The longest common subsequence by its definition."""

    @cache
    def longest(i: int, j: int) -> int:
        if i == len(first) or j == len(second):
            return 0
        if first[i] == second[j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    return longest(0, 0)


@settings(max_examples=150, deadline=None)
@given(st.text("ab c", min_size=1, max_size=12), st.text("ab c", max_size=12))
def test_completeness_and_excess_are_those_of_the_obvious_definition(reference, extracted):
    folded, given_ = " ".join(reference.split()), " ".join(extracted.split())
    view = ExtractionView(reference, extracted)
    if folded:
        assert text_completeness(view) == Value(obvious(folded, given_) / len(folded), len(folded))
        assert text_ratio(view) == Value(len(given_) / len(folded), len(folded))
    if given_:
        assert text_excess(view) == Value((len(given_) - obvious(folded, given_)) / len(given_), len(given_))


def test_white_space_and_composition_of_letters_lose_nothing():
    view = ExtractionView("Tarif\u00a0e\u0301t\u00e9\n\n1 %", "Tarif  été 1\t%")
    assert text_completeness(view).value == text_ratio(view).value == 1.0
    assert text_excess(view).value == 0.0


def test_half_of_a_page_is_half_complete_and_a_menu_is_excess():
    assert text_completeness(ExtractionView("abcd efgh i", "abcd")).value == 4 / 11
    assert text_excess(ExtractionView("abcd", "menu abcd")).value == pytest.approx(5 / 9)
    assert isinstance(text_excess(ExtractionView("abcd", " \n")), Undefined)
    assert isinstance(text_completeness(ExtractionView(" ", "abcd")), Undefined)
    assert isinstance(text_ratio(ExtractionView("abcd", None)), Undefined)


def test_tokens_are_counted_as_bags_and_their_order_is_no_matter():
    view = ExtractionView("the fee is the same", "same FEE the fee")
    assert token_precision(view) == Value(3 / 4, 4)
    assert token_recall(view) == Value(3 / 5, 5)
    assert token_f1(view) == Value(6 / 9, 9)
    assert token_f1(view, n=2) == Value(2 / 7, 7)  # "the fee" is the one pair that both have
    with pytest.raises(ValueError, match="1 or more"):
        token_f1(view, n=0)


def test_no_word_on_one_side_is_undefined_for_the_share_of_that_side_alone():
    empty = ExtractionView("one two", " … ")
    assert isinstance(token_precision(empty), Undefined)
    assert token_recall(empty) == Value(0.0, 2)
    assert token_f1(empty) == Value(0.0, 2)
    assert isinstance(token_f1(ExtractionView("", "")), Undefined)


@settings(max_examples=150, deadline=None)
@given(*[st.lists(st.sampled_from("abcd"), max_size=8)] * 3)
def test_boilerplate_is_the_overlap_of_what_was_removed_with_what_is_labelled(page, body, kept):
    view = BoilerplateView(" ".join(page), " ".join(body), " ".join(kept))
    removed, labelled = Counter(page) - Counter(kept), Counter(page) - Counter(body)
    right = sum(min(removed[word], labelled[word]) for word in removed)
    for score, whole in ((boilerplate_precision(view), removed), (boilerplate_recall(view), labelled)):
        assert score == (Value(right / whole.total(), whole.total()) if whole else score)
        assert isinstance(score, Value) == bool(whole)


def test_a_cleaner_that_removes_nothing_has_no_precision_and_recalls_nothing():
    view = BoilerplateView("Menu fee 1 %", "fee 1 %", "Menu fee 1 %")
    assert isinstance(boilerplate_precision(view), Undefined)
    assert boilerplate_recall(view) == Value(0.0, 1)
    assert isinstance(boilerplate_recall(BoilerplateView("a", "", None)), Undefined)
