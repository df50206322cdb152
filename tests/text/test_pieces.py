"""Shared pieces of two lists of words, against the obvious search."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragtriage.text.pieces import shared_pieces

WORDS = st.lists(st.sampled_from("abc"), max_size=14)


def longest_from(told, i, source):
    """Try every place of the source."""
    sizes = [0]
    for j in range(len(source)):
        size = 0
        while i + size < len(told) and j + size < len(source) and told[i + size] == source[j + size]:
            size += 1
        sizes.append(size)
    return max(sizes)


@given(WORDS, WORDS)
def test_each_piece_is_the_longest_and_stands_where_it_says(told, source):
    pieces = shared_pieces(told, source)
    assert [piece.size for piece in pieces] == [longest_from(told, i, source) for i in range(len(told))]
    for i, (size, where) in enumerate(pieces):
        assert told[i : i + size] == source[where : where + size]


def test_ten_thousand_times_the_same_word_is_no_work_for_the_square_of_it():
    assert shared_pieces(["a"] * 10_000, ["a"] * 10_000)[0].size == 10_000
