"""The knee lies where Kneedle's paper and its usual implementation put it."""

from __future__ import annotations

import numpy as np
import pytest

from ragtriage.stats.knee import knee_point


def test_the_curve_of_the_papers_second_figure() -> None:
    x = np.linspace(0, 1, 10)
    assert knee_point(x, 5 - 1 / (x + 0.1)) == 2  # 0.22 in the paper


def test_a_curve_worked_by_hand() -> None:
    # Scaled: y - x = 0, 0.495, 0.586, 0.525, 0.465, 0.404, 0.303, ...; 0.586 - 1/9 is passed at the fifth point.
    assert knee_point(range(10), [0, 60, 80, 85, 90, 95, 96, 97, 98, 99]) == 2


@pytest.mark.parametrize(
    ("y", "knee"),  # values of kneed 0.9.0, S = 1, online = False
    [
        ([0.60, 0.80, 0.85, 0.86], 1),
        ([0.70, 0.90, 0.92, 0.91], 1),
        ([0.50, 0.60, 0.70, 0.80], None),
        ([0.40, 0.45, 0.80, 0.81], 2),
    ],
)
def test_four_sizes_of_chunks(y: list[float], knee: int | None) -> None:
    assert knee_point([128, 256, 512, 1024], y) == knee


@pytest.mark.parametrize("y", [[1, 1, 1, 1], [1, 2, 3, 4], [1, 2, 4, 8], [4, 3, 2, 1]])
def test_flat_straight_and_otherwise_bent_curves_have_no_knee(y: list[float]) -> None:
    assert knee_point([1, 2, 3, 4], y) is None


def test_two_points_have_no_knee_and_a_less_sensitive_search_wants_a_deeper_fall() -> None:
    assert knee_point([1, 2], [0, 1]) is None
    assert knee_point(range(10), [0, 60, 80, 85, 90, 95, 96, 97, 98, 99], sensitivity=6) is None


@pytest.mark.parametrize(
    ("x", "y"), [([1, 2, 2], [1, 2, 3]), ([1, 2], [1, 2, 3]), ([1, 2, 3], [1, np.nan, 3]), ([3, 2, 1], [1, 2, 3])]
)
def test_columns_that_are_no_curve_are_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(ValueError, match="must"):
        knee_point(x, y)
