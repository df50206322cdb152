"""Precision and recall of extracted predicates, against scikit-learn on the same labels."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score

from ragtriage.core.records import Predicate
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import PredicatesView
from ragtriage.metrics.filters.predicate_precision import predicate_precision
from ragtriage.metrics.filters.predicate_recall import predicate_recall

UNIVERSE = [Predicate(field=f, value=v) for f in ("locale", "product") for v in ("a", "b", "c")]
SOME = st.lists(st.sampled_from(UNIVERSE), max_size=6).map(tuple)


@settings(max_examples=150, deadline=None)
@given(SOME, SOME)
def test_they_are_those_of_scikit_learn(extracted: Any, gold: Any) -> None:
    view = PredicatesView(extracted=extracted, gold=gold)
    predicted, right = [p in extracted for p in UNIVERSE], [p in gold for p in UNIVERSE]
    precision, recall = predicate_precision(view), predicate_recall(view)
    if any(predicted):
        assert precision == Value(float(precision_score(right, predicted, zero_division=0)), sum(predicted))
    else:
        assert isinstance(precision, Undefined)
    if any(right):
        assert recall == Value(float(recall_score(right, predicted, zero_division=0)), sum(right))
    else:
        assert isinstance(recall, Undefined)


def test_one_field_can_be_taken_alone() -> None:
    view = PredicatesView(extracted=tuple(UNIVERSE[:2]), gold=(UNIVERSE[0], UNIVERSE[3]))
    assert predicate_precision(view, field="locale") == Value(0.5, 2)
    assert predicate_recall(view, field="locale") == Value(1.0, 1)
    assert predicate_recall(view, field="product") == Value(0.0, 1)
    assert isinstance(predicate_precision(view, field="product"), Undefined)


def test_the_same_predicate_in_another_form_is_the_same() -> None:
    gold = (
        Predicate(field="locale", op="in", value=["kk", "ru"]),
        Predicate(field="year", value=2026),
        Predicate(field="product", value="card"),
    )
    extracted = (
        Predicate(field="metadata.locale", op="in", value=["ru", "kk"], mode="soft"),
        Predicate(field="year", value=2026.0),
        Predicate(field="product", op="in", value=["card"], mode="hard"),
    )
    view = PredicatesView(extracted=extracted, gold=gold)
    assert predicate_precision(view) == Value(1.0, 3)
    assert predicate_recall(view) == Value(1.0, 3)


def test_another_operator_or_kind_of_value_is_another_predicate() -> None:
    gold = (Predicate(field="year", value=2026), Predicate(field="draft", value=False))
    extracted = (Predicate(field="year", op="<=", value=2026), Predicate(field="draft", value=0))
    assert predicate_precision(PredicatesView(extracted, gold)) == Value(0.0, 2)


def test_what_a_rule_adds_is_not_extracted_unless_gold_names_the_field() -> None:
    policy = Predicate(field="tenant", value="acme", origin="policy")
    card = Predicate(field="product", value="card")
    assert predicate_precision(PredicatesView((policy, card), (card,))) == Value(1.0, 1)
    other = Predicate(field="tenant", value="globex")
    assert predicate_precision(PredicatesView((policy, card), (card, other))) == Value(0.5, 2)


def test_not_recorded_and_not_labelled_are_undefined() -> None:
    for score in (predicate_precision, predicate_recall):
        assert isinstance(score(PredicatesView(None, (UNIVERSE[0],))), Undefined)
        assert isinstance(score(PredicatesView((UNIVERSE[0],), None)), Undefined)
    assert predicate_recall(PredicatesView((), (UNIVERSE[0],))) == Value(0.0, 1)
