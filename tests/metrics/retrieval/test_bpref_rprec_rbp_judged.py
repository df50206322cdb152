from __future__ import annotations

import pytest

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings
from ragtriage.metrics.retrieval.bpref import bpref
from ragtriage.metrics.retrieval.judged import judged
from ragtriage.metrics.retrieval.r_precision import r_precision
from ragtriage.metrics.retrieval.rbp import rbp


def test_bpref_passes_over_unjudged_results_and_counts_judged_junk_up_to_r() -> None:
    """R = 2, N = 3; before a: 1 junk, before b: 3 junk, at most 2: (1 - 1/2 + 1 - 2/2) / 2."""
    gold = {"a": 1, "b": 1, "j1": 0, "j2": 0, "j3": 0}
    rankings = Rankings.of([["unjudged", "j1", "a", "j2", "j3", "b"]], [gold])
    assert bpref(rankings)[0] == Value(0.25, support=2)


def test_bpref_without_judged_junk_is_the_share_found() -> None:
    assert bpref(Rankings.of([["u", "a"]], [{"a": 1, "b": 1}]))[0] == Value(0.5, support=2)


def test_r_precision_looks_at_the_first_r_results() -> None:
    assert r_precision(Rankings.of([["n", "a", "b"]], [{"a": 1, "b": 1}]))[0] == Value(0.5, support=2)
    assert r_precision(Rankings.of([["a"]], [{"a": 1, "b": 1, "c": 1}]))[0] == Value(1 / 3, support=3)


def test_rbp_weighs_by_the_chance_of_reading_on() -> None:
    """(1 - 0.5) * (1 + 0.25), and graded (1 - 0.5) * (1/2 + 0.25 * 2/2)."""
    rankings = Rankings.of([["a", "n", "b"]], [{"a": 1, "b": 2}])
    assert rbp(rankings, p=0.5)[0] == Value(0.625, 1)
    assert rbp(rankings, p=0.5, gain="graded")[0] == Value(0.375, 1)
    for p in (0.0, 1.0, -1.0):
        with pytest.raises(ValueError, match="above 0 and below 1"):
            rbp(rankings, p=p)


def test_judged_is_the_share_of_the_results_shown_and_zero_where_none_came() -> None:
    rankings = Rankings.of([["a", "junk", "u", "v"], ["a"], None, ["u"]], [{"a": 1, "junk": 0}] * 3 + [{}])
    scores = list(judged(rankings, k=3))
    assert scores[:3] == [Value(2 / 3, 3), Value(1.0, 1), Value(0.0, 3)]
    assert isinstance(scores[3], Undefined)


def test_nothing_relevant_is_undefined_for_all_of_them() -> None:
    rankings = Rankings.of([["a"]], [{"a": 0}])
    for metric in (bpref, r_precision, rbp):
        assert list(metric(rankings)) == [Undefined("nothing is relevant")]
