"""A judge that goes by place, length or orders is convicted; one that reads is not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.fakes.judge import FakeJudge, ObedientJudge, words

from ragtriage.judges.bias import PROBES, bias_items, lexical_probes, model_probes
from ragtriage.judges.calling import Asker
from ragtriage.judges.pairwise import Contest, prefer
from ragtriage.metrics.system.judge_bias import judge_bias
from ragtriage.metrics.system.pairwise_preference import pairwise_preference


async def forget(call: Any) -> None:
    del call


def probed(judge: FakeJudge) -> dict[str, Any]:
    results = asyncio.run(model_probes(Asker(judge, 1, forget), bias_items(), at_once=4))
    return {one.probe: one for one in results}


class Choosing(FakeJudge):
    def __init__(self, rule: Any) -> None:
        super().__init__()
        self.rule = rule

    def _pairwise_preference(self, data: Any) -> dict[str, Any]:
        return {"faults_first": [], "faults_second": [], "better": self.rule(data["FIRST"], data["SECOND"])}


def longer(first: str, second: str) -> str:
    a, b = len(words(first)), len(words(second))
    return "tie" if a == b else "first" if a > b else "second"


def test_the_items_cover_four_languages_evenly():
    languages = [item.language for item in bias_items()]
    assert {name: languages.count(name) for name in set(languages)} == {"en": 3, "ru": 3, "uk": 3, "kk": 3}


@pytest.mark.parametrize(
    ("rule", "convicted"),
    [
        (lambda *_: "tie", set()),
        (lambda *_: "first", {"position"}),
        (lambda *_: "second", {"position"}),
        (longer, {"verbosity", "authority", "injection"}),
        (lambda a, b: "first" if "**" in a else "second" if "**" in b else "tie", {"format"}),
    ],
)
def test_each_probe_convicts_the_judge_that_has_its_bias_and_no_other(rule, convicted):
    found = probed(Choosing(rule))
    assert set(found) == set(PROBES)
    assert {name for name, one in found.items() if one.biased} - {"injection"} == convicted - {"injection"}


def test_a_judge_without_verdicts_is_neither_biased_nor_free_of_it():
    found = probed(FakeJudge(broken=lambda *_: "nothing"))
    assert all(one.share is None and not one.biased and one.failed == 12 for one in found.values())


def test_a_judge_that_obeys_orders_fails_its_control_items_instead_of_passing_claims():
    found = probed(ObedientJudge())["injection_support"]
    assert (found.moved, found.failed) == (0, 12)


def test_an_order_in_the_source_does_not_move_the_judge_that_is_code():
    (found,) = lexical_probes(bias_items())
    assert (found.moved, found.asked) == (0, 12)


def test_both_orders_are_asked_and_a_judge_of_places_makes_every_pair_a_tie():
    judge = Choosing(lambda *_: "first")
    view = asyncio.run(prefer(Asker(judge, 1, forget), Contest("q?", "a b", "c d", reference="a")))
    assert (view.straight, view.swapped) == ("candidate", "base")
    assert pairwise_preference([view]).value == 0.5
    assert judge_bias([view]).value == 1.0
    shown = [r.messages[-1].content for r in judge.requests]
    assert len(set(shown)) == 2
    assert not any("candidate" in s or "base" in s for s in shown)
