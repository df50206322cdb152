"""Corrected shares stand beside the judge's own, and are refused where labels are too few to correct anything."""

from __future__ import annotations

import pytest

from ragtriage.workflows.judge_shares import shares_of


def test_a_judge_that_says_yes_too_often_is_corrected_towards_what_people_say():
    labelled = [(True, True)] * 20 + [(True, False)] * 10 + [(False, False)] * 20
    rest = [(True, None)] * 60 + [(False, None)] * 40
    found = shares_of(labelled + rest)
    assert found.raw == pytest.approx(90 / 150)
    assert found.rogan_gladen is not None
    # sensitivity 1, specificity 2/3: (0.6 + 2/3 - 1) / (1 + 2/3 - 1)
    assert found.rogan_gladen.value == pytest.approx((0.6 + 2 / 3 - 1) / (2 / 3))
    assert found.ppi is not None
    assert found.ppi.interval[0] < 0.4 < found.ppi.interval[1]
    assert found.refused == ()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([(True, True)] * 29 + [(True, None)] * 50, "29 labels"),
        ([(True, True)] * 40, "nothing to correct"),
        ([(True, True), (True, False)] * 20 + [(True, None)] * 9, "no better than chance"),
        ([(True, True)] * 40 + [(True, None)] * 9, "both kinds"),
    ],
)
def test_what_cannot_be_corrected_says_why(said, why):
    found = shares_of(said)
    assert found.rogan_gladen is None
    assert why in " ".join(found.refused)
    assert found.raw is not None


def test_a_judge_that_said_nothing_has_no_share():
    assert shares_of([]).raw is None
