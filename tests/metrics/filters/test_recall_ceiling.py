"""The recall ceiling that wrong hard predicates set."""

from __future__ import annotations

import pytest

from ragtriage.core.records import Predicate
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import PredicatesView
from ragtriage.metrics.filters.recall_ceiling import recall_ceiling

CARD = Predicate(field="product", value="card", mode="hard")
LOAN = Predicate(field="product", value="loan", mode="hard")


def test_errors_in_8_of_100_cases_set_a_ceiling_of_92_percent() -> None:
    views = [PredicatesView((LOAN if n < 8 else CARD,), (CARD,)) for n in range(100)]
    values = [score.value for score in map(recall_ceiling, views) if isinstance(score, Value)]
    assert sum(values) / len(values) == pytest.approx(0.92)


def test_a_soft_predicate_sets_no_ceiling_and_a_gold_soft_one_applied_hard_does() -> None:
    soft = LOAN.model_copy(update={"mode": "soft"})
    assert recall_ceiling(PredicatesView((soft,), (CARD,))) == Value(1.0, 1)
    assert recall_ceiling(PredicatesView((LOAN,), (soft,))) == Value(0.0, 1)


def test_a_wrong_predicate_of_unknown_mode_is_undefined_unless_a_hard_one_is_wrong() -> None:
    unknown = LOAN.model_copy(update={"mode": "unknown"})
    assert isinstance(recall_ceiling(PredicatesView((unknown,), (CARD,))), Undefined)
    assert recall_ceiling(PredicatesView((unknown, LOAN), (CARD,))) == Value(0.0, 1)
    assert recall_ceiling(PredicatesView((unknown,), (LOAN,))) == Value(1.0, 1)


def test_nothing_extracted_removes_nothing() -> None:
    assert recall_ceiling(PredicatesView((), (CARD,))) == Value(1.0, 1)
    assert isinstance(recall_ceiling(PredicatesView(None, (CARD,))), Undefined)
    assert isinstance(recall_ceiling(PredicatesView((), None)), Undefined)
