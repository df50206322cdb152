from __future__ import annotations

import dataclasses

import pytest

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import FusionPair, Rankings, RerankPair
from ragtriage.metrics.retrieval.fusion_uplift import fusion_uplift
from ragtriage.metrics.retrieval.rerank_lost_gold import rerank_lost_gold
from ragtriage.metrics.retrieval.rerank_uplift import rerank_uplift

GOLD = {"a": 1, "b": 1}


def pair(before: list[str], after: list[str]) -> RerankPair:
    return RerankPair(Rankings.of([before], [GOLD]), Rankings.of([after], [GOLD]))


def test_the_uplift_is_the_measure_after_minus_the_measure_before() -> None:
    moved_up = pair(["n", "a", "b"], ["a", "b", "n"])
    assert rerank_uplift(moved_up, of="reciprocal_rank")[0] == Value(0.5, 1)
    assert rerank_uplift(moved_up, of="precision", k=1)[0] == Value(1.0, 1)
    # before: (1 / log2 3 + 1 / 2) / (1 + 1 / log2 3) = 0.6934
    assert rerank_uplift(moved_up)[0].value == pytest.approx(1 - 0.6934, abs=5e-5)


def test_a_step_that_harms_has_a_negative_uplift() -> None:
    moved_down = pair(["a", "n"], ["n", "a"])
    assert rerank_uplift(moved_down, of="reciprocal_rank")[0] == Value(-0.5, 1)
    fused = FusionPair(moved_down.before, moved_down.after)
    assert fusion_uplift(fused, of="reciprocal_rank")[0] == Value(-0.5, 1)


@pytest.mark.parametrize("compute", [rerank_uplift, lambda p: rerank_lost_gold(p, k=1)])
def test_other_candidates_are_an_error_and_no_number(compute: object) -> None:
    with pytest.raises(ValueError, match=r"the same candidates\. They differ in 1 question"):
        compute(pair(["a", "n"], ["a", "m"]))  # type: ignore[operator]


def test_without_ids_the_grades_of_the_candidates_must_agree() -> None:
    same, other = pair(["a", "n"], ["n", "a"]), pair(["a", "n"], ["n"])
    for given, differs in ((same, False), (other, True)):
        bare = RerankPair(*(dataclasses.replace(side, ids=None) for side in (given.before, given.after)))
        if differs:
            with pytest.raises(ValueError, match="same candidates"):
                rerank_uplift(bare)
        else:
            assert rerank_uplift(bare, of="reciprocal_rank")[0] == Value(-0.5, 1)


def test_gold_is_lost_when_fewer_relevant_results_stand_in_the_first_k_than_before() -> None:
    lost, kept, swapped = ["a", "b", "n"], ["a", "b", "n"], ["b", "n", "a"]
    pairs = RerankPair(
        Rankings.of([lost, kept, ["a", "n", "b"], ["n"]], [GOLD, GOLD, GOLD, {}]),
        Rankings.of([["a", "n", "b"], ["b", "a", "n"], swapped, ["n"]], [GOLD, GOLD, GOLD, {}]),
    )
    scores = list(rerank_lost_gold(pairs, k=2))
    assert scores == [Value(1.0, 1), Value(0.0, 1), Value(0.0, 1), Undefined("nothing is relevant")]


def test_nothing_relevant_has_no_uplift() -> None:
    side = Rankings.of([["x"]], [{}])
    assert list(rerank_uplift(RerankPair(side, side))) == [Undefined("nothing is relevant")]
