"""RM3 against numbers worked out by hand."""

from __future__ import annotations

import pytest

from ragtriage.text.rm3 import expanded_question, rm3


def test_weights_are_the_mixture_of_the_question_and_the_relevance_model():
    # Result shares 1/4 and 3/4; a: 1/4 * 2/4 = 1/8; b: 1/4 * 2/4 + 3/4 * 1/2 = 1/2; c: 3/4 * 1/2 = 3/8.
    found = rm3(["a", "q"], [["a", "a", "b", "b"], ["b", "c"]], [1.0, 3.0], original=0.6)
    assert found == pytest.approx({"a": 0.3 + 0.4 / 8, "q": 0.3, "b": 0.4 / 2, "c": 0.4 * 3 / 8})
    assert sum(found.values()) == pytest.approx(1)


def test_only_the_heaviest_terms_are_kept_and_weigh_all_of_their_part():
    # Without scores both results weigh 1/2: b 3/4, c 1/4; of the first term alone b has the whole half.
    assert rm3(["q"], [["b"], ["b", "c"]], terms=1) == pytest.approx({"q": 0.5, "b": 0.5})


def test_an_empty_result_is_as_if_it_had_not_come():
    assert rm3(["q"], [[], ["b"]], [9.0, 1.0]) == rm3(["q"], [["b"]], [1.0])
    assert rm3(["q"], []) == {"q": 1.0}
    assert rm3([], [["b"]]) == {"b": 1.0}


def test_scores_that_are_no_weights_are_left_aside():
    assert rm3(["q"], [["a"], ["b"]], [-1.0, 2.0]) == rm3(["q"], [["a"], ["b"]])


def test_the_question_stands_first_and_added_words_are_neither_its_own_nor_empty_ones():
    found = expanded_question("Комиссия за перевод?", ["Перевод в другой банк: комиссия 1 % и лимит", "лимит 5"])
    assert found.startswith("Комиссия за перевод? ")
    added = found.removeprefix("Комиссия за перевод? ").split()
    assert added[0] == "лимит"
    assert {"комиссия", "перевод", "1", "5", "и", "в"}.isdisjoint(added)
