"""Query understanding against sklearn and numbers worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, classification_report

from ragtriage.core.query_views import (
    ExpansionPair,
    FloorPair,
    HydePair,
    IntentView,
    MultiQueryView,
    Rm3Pair,
    RouteView,
)
from ragtriage.core.rankings import Rankings
from ragtriage.core.score import Undefined, Value
from ragtriage.metrics.query.expansion_over_rm3 import expansion_over_rm3
from ragtriage.metrics.query.expansion_uplift import expansion_uplift
from ragtriage.metrics.query.hyde_uplift import hyde_uplift
from ragtriage.metrics.query.intent_f1 import intent_f1
from ragtriage.metrics.query.multi_query_recall import multi_query_recall
from ragtriage.metrics.query.rm3_uplift import rm3_uplift
from ragtriage.metrics.query.routing_accuracy import routing_accuracy
from ragtriage.stats.classification import class_scores

NAMES = st.sampled_from(["fee", "card", "complaint", "rate"])
PAIRS = st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("metric", "pair"),
    [
        (expansion_uplift, ExpansionPair),
        (hyde_uplift, HydePair),
        (rm3_uplift, Rm3Pair),
        (expansion_over_rm3, FloorPair),
    ],
)
def test_an_uplift_is_recall_after_minus_recall_before(metric, pair):
    gold = [{"a": 1, "b": 1}, {"c": 1}, {"d": 0}]
    before = Rankings.of([["a", "x", "y"], ["c"], ["d"]], gold)
    after = Rankings.of([["x", "b", "a"], ["x", "y"], ["d"]], gold)
    assert list(metric(pair(before, after), k=2)) == [Value(0.0, 2), Value(-1.0, 1), Undefined("nothing is relevant")]
    assert next(iter(metric(pair(before, after), k=3))) == Value(0.5, 2)


def test_a_rewrite_may_bring_other_candidates_than_the_raw_question():
    gold = [{"a": 1}]
    pair = ExpansionPair(Rankings.of([["x"]], gold), Rankings.of([["a"]], gold))
    assert list(expansion_uplift(pair, k=1)) == [Value(1.0, 1)]


def test_more_rewrites_find_more_and_each_gain_is_a_difference():
    view = MultiQueryView(frozenset("abcd"), ({"a": 1, "b": 6}, {"a": 1}, {"b": 2, "c": 5}, {"z": 1}))
    shares = [multi_query_recall(view, k=5, n=n) for n in (1, 2, 3, 4)]
    assert shares == [Value(0.25, 4), Value(0.25, 4), Value(0.75, 4), Value(0.75, 4)]
    assert multi_query_recall(view, k=10, n=1) == Value(0.5, 4)
    assert multi_query_recall(view, k=5, n=5) == Undefined("the question has 4 rewrites")


def test_rewrites_without_rankings_of_their_own_have_no_union():
    assert multi_query_recall(MultiQueryView(frozenset("a"), None), k=5) == Undefined(
        "the trace records no ranking for each rewrite"
    )
    assert isinstance(multi_query_recall(MultiQueryView(frozenset("a"), ()), k=5), Undefined)


@given(PAIRS)
@settings(max_examples=80, deadline=None)
def test_intents_agree_with_sklearn(pairs):
    views = [IntentView(*pair) for pair in pairs]
    right, given_labels = zip(*pairs, strict=True)
    report = classification_report(right, given_labels, output_dict=True, zero_division=0)
    assert intent_f1(views).value == pytest.approx(report["macro avg"]["f1-score"], abs=1e-12)
    assert intent_f1(views, average="weighted").value == pytest.approx(report["weighted avg"]["f1-score"], abs=1e-12)
    assert intent_f1(views, average="micro").value == pytest.approx(accuracy_score(right, given_labels), abs=1e-12)
    for name, found in class_scores(pairs).items():
        assert intent_f1(views, intent=name).value == pytest.approx(report[name]["f1-score"], abs=1e-12)
        assert found.labelled == report[name]["support"]
        assert (found.precision or 0.0) == pytest.approx(report[name]["precision"], abs=1e-12)
        assert (found.recall or 0.0) == pytest.approx(report[name]["recall"], abs=1e-12)


@given(PAIRS)
@settings(max_examples=40, deadline=None)
def test_routing_agrees_with_sklearn(pairs):
    scores = [routing_accuracy(RouteView(*pair)) for pair in pairs]
    assert sum(score.value for score in scores) / len(scores) == pytest.approx(
        accuracy_score(*zip(*pairs, strict=True))
    )


def test_a_case_without_a_label_or_a_recognised_intent_is_left_out():
    views = [IntentView("fee", None), IntentView(None, "fee")]
    assert intent_f1(views) == Undefined("no case has both an intent and a recognised one")
    assert intent_f1([*views, IntentView("fee", "fee")]) == Value(1.0, 1)
    assert isinstance(intent_f1([IntentView("fee", "fee")], intent="card"), Undefined)
    assert routing_accuracy(RouteView(None, "one_shot")) == Undefined("the case declares no route")
    assert routing_accuracy(RouteView("one_shot", None)) == Undefined("the trace records no route")
