"""Reliability bins hold every sample once; ECE and Brier agree with numpy and sklearn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from ragtriage.stats.calibration import brier, expected_calibration_error, reliability

SAMPLES = st.lists(st.tuples(st.floats(0, 1) | st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]), st.booleans()), min_size=1)


@given(SAMPLES, st.integers(1, 20), st.sampled_from(["width", "mass"]))
def test_every_sample_is_in_exactly_one_bin(samples, bins, form):
    confidence, correct = [c for c, _ in samples], [ok for _, ok in samples]
    found = reliability(confidence, correct, bins=bins, form=form)
    assert sum(b.count for b in found) == len(samples)
    assert all(b.low - 1e-12 <= b.confidence <= b.high + 1e-12 for b in found)
    assert 0 <= expected_calibration_error(confidence, correct, bins=bins, form=form) <= 1


def test_bins_of_equal_width_agree_with_numpy():
    chance = np.random.default_rng(2)
    confidence, correct = chance.random(500), chance.random(500) < 0.6
    places = np.minimum((confidence * 10).astype(int), 9)
    right = sum(
        abs(correct[places == b].mean() - confidence[places == b].mean()) * (places == b).mean() for b in range(10)
    )
    found = expected_calibration_error(confidence.tolist(), correct.tolist())
    assert found == pytest.approx(right, abs=1e-12)
    assert brier(confidence.tolist(), correct.tolist()) == pytest.approx(brier_score_loss(correct, confidence))


def test_equal_confidences_stay_together_in_bins_of_equal_size():
    found = reliability([0.5] * 6 + [0.9, 0.95], [True] * 8, bins=4, form="mass")
    assert [b.count for b in found] == [6, 2]


def test_a_confidence_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="0, 1"):
        brier([1.2], [True])
