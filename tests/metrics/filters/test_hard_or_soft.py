"""Which predicates may stay hard."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import ExclusionTable, FilterView
from ragtriage.metrics.filters.hard_or_soft import exclusion_by_field, hard_or_soft, rows

GOLD = frozenset({"d"})
NONE: frozenset[str] = frozenset()


def asked(**removed: bool) -> FilterView:
    return FilterView(GOLD, GOLD, {f"{field} == 'x'": GOLD if gone else NONE for field, gone in removed.items()})


def test_exclusion_is_counted_by_field_over_the_questions_it_was_applied_to() -> None:
    views = [asked(locale=True, product=False), asked(locale=False), asked(tenant=True), FilterView(NONE, NONE)]
    assert exclusion_by_field(views) == {"locale": (0.5, 2), "product": (0.0, 1), "tenant": (1.0, 1)}
    assert hard_or_soft(views) == Value(2 / 3, 3)


def test_epsilon_is_where_a_field_stops_being_hard() -> None:
    views = [asked(locale=n == 0) for n in range(100)]
    assert hard_or_soft(views) == Value(0.0, 1)
    assert hard_or_soft(views, epsilon=0.011) == Value(1.0, 1)


def test_without_hard_predicates_there_is_nothing_to_decide() -> None:
    assert isinstance(hard_or_soft([]), Undefined)
    assert isinstance(hard_or_soft([FilterView(GOLD, GOLD), FilterView(GOLD, None, {"a == 1": GOLD})]), Undefined)


def table(predicate: str, hard: int, soft: int, *, excluded: bool = False) -> ExclusionTable:
    return ExclusionTable(predicate, hard_found=hard, soft_found=soft, relevant=2, k=4, excluded=excluded)


def test_the_numbers_of_a_predicate_that_was_asked_both_ways() -> None:
    (row,) = rows([table("locale", 2, 1), table("locale", 0, 1, excluded=True)])
    assert (row.questions, row.hard_recall, row.soft_recall, row.exclusion_rate) == (2, 0.5, 0.5, 0.5)
    assert (row.hard_precision, row.soft_precision) == (0.25, 0.25)
    assert (row.decision, row.reason) == ("soft", "it removes the answer of 50.0% of the questions (limit 1.0%)")


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (4, 0), (5, 0), (8, 1), (6, 3)])
def test_a_filter_stays_hard_only_where_it_wins_precision_significantly(wins: int, losses: int) -> None:
    asked_both = [table("locale", 2, 1)] * wins + [table("locale", 1, 2)] * losses + [table("locale", 1, 1)] * 3
    (row,) = rows(asked_both)
    trials = wins + losses
    expected = binomtest(wins, trials, alternative="greater").pvalue if trials else 1.0
    assert row.p_value == pytest.approx(expected, abs=1e-12)
    assert row.decision == ("hard" if expected < 0.05 else "soft")


def test_correctness_is_always_hard() -> None:
    decisions = {row.predicate: row.decision for row in rows([table("tenant == 'a'", 0, 2, excluded=True)])}
    assert decisions == {"tenant == 'a'": "hard"}
