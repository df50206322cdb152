"""Chunks without offsets find the place that makes the whole list fit."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.text.placing import place_texts


def cost(text: str, pieces: list[str], starts: tuple[int, ...]) -> tuple[int, int]:
    """Characters left out and characters repeated, counted one by one, neighbours alone as the fast way does."""
    reached, left_out, repeated = 0, 0, 0
    for start, piece in zip(starts, pieces, strict=True):
        left_out += sum(not c.isspace() for c in text[reached:start])
        repeated += max(0, reached - start)
        reached = start + len(piece)
    return left_out + sum(not c.isspace() for c in text[reached:]), repeated


def slowly(text: str, pieces: list[str]) -> tuple[int, int] | None:
    """Try every combination of places."""
    places = [[at for at in range(len(text)) if text.startswith(piece, at)] for piece in pieces]
    ways = [way for way in itertools.product(*places) if all(a < b for a, b in itertools.pairwise(way))]
    return min((cost(text, pieces, way) for way in ways), default=None)


@settings(max_examples=400, deadline=None)
@given(
    st.text(alphabet="ab ", min_size=1, max_size=9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(1, 4)), min_size=1, max_size=4),
)
def test_the_places_are_the_best_of_all_combinations(text: str, spans: list[tuple[int, int]]) -> None:
    pieces = [piece for start, length in sorted(spans) if (piece := text[start : start + length])]
    best = slowly(text, pieces)
    placed = place_texts(text, pieces)
    starts = tuple(start for start in placed if start is not None)
    if best is not None:
        assert None not in placed
        assert cost(text, pieces, starts) == best
    assert all(a < b for a, b in itertools.pairwise(starts))
    assert all(text.startswith(p, at) for p, at in zip(pieces, placed, strict=True) if at is not None)


def test_repeated_text_gets_the_offsets_of_its_own_place(shared: Callable[[str], Path]) -> None:
    case = json.loads(shared("cases/inputs/B61.json").read_text(encoding="utf-8"))
    assert place_texts(case["text"], ["ok ok ok."] * 3) == [0, 10, 20]
    assert place_texts(case["also"]["text"], ["parrot", "parrot"]) == [0, 7]


@pytest.mark.parametrize(
    ("text", "pieces", "starts"),
    [
        ("one two three two", ["two three two"], [4]),
        ("x. y. x. z. x.", ["x. y.", "x. z.", "x."], [0, 6, 12]),
        ("x. y. x. z. x.", ["x.", "x.", "x."], [0, 6, 12]),
        ("а б в", ["а", "г", "в"], [0, None, 4]),
        ("a b", ["", "a"], [None, 0]),
        ("a b c", ["c", "a", "b"], [None, 0, 2]),
        ("abc", [], []),
        ("", ["a"], [None]),
    ],
)
def test_places_worked_by_hand(text: str, pieces: list[str], starts: list[int | None]) -> None:
    assert place_texts(text, pieces) == starts


def test_a_long_text_of_one_repeated_line_is_placed_line_by_line() -> None:
    text = "the same line\n" * 3000
    assert place_texts(text, ["the same line"] * 3000) == [14 * n for n in range(3000)]
