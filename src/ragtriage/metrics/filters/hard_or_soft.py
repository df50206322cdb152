"""Which predicates may stay hard filters, and which should only lift what meets them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ExclusionTable, FilterView

__all__ = ["CORRECTNESS_FIELDS", "HardOrSoft", "exclusion_by_field", "hard_or_soft", "rows"]

CORRECTNESS_FIELDS = frozenset({"tenant", "acl", "jurisdiction", "published", "valid_on"})
"""Fields on which a filter decides what is right, not what is near: always hard."""

_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class HardOrSoft:
    """One predicate, asked as a hard filter and as a boost, and what follows.

    `exclusion_rate`: questions whose relevant documents it removed / questions. `p_value`: one-sided exact sign test
    that hard precision is the higher one, over the questions.
    """

    predicate: str
    questions: int
    hard_recall: float
    soft_recall: float
    hard_precision: float
    soft_precision: float
    exclusion_rate: float
    p_value: float
    decision: Literal["hard", "soft"]
    reason: str


@metric(
    title="Hard filter or soft boost",
    unit="fraction of hard predicates",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 5",
    aggregate="set",
)
def hard_or_soft(views: Sequence[FilterView], *, epsilon: float = 0.01) -> Score:
    """Fields with hard predicates that may stay hard, as far as exclusion tells / fields with hard predicates.

    A field may stay hard when its predicates alone removed every eligible gold document of less than `epsilon` of the
    questions they were applied to; tenant, acl, jurisdiction, published and valid_on are always hard. Whether a hard
    filter also wins precision takes the same questions asked both ways: see `rows`. Undefined when no question with
    eligible gold documents met a hard predicate.

    >>> forced = {"locale == 'en-US'": frozenset({"d2"})}
    >>> kept = {"product == 'card'": frozenset()}
    >>> hard_or_soft([FilterView(frozenset({"d2"}), frozenset(), forced | kept)])
    Value(value=0.5, support=2)
    """
    rates = exclusion_by_field(views)
    if not rates:
        return Undefined("no hard predicate met a question with eligible gold documents")
    stay = sum(field in CORRECTNESS_FIELDS or rate < epsilon for field, (rate, _) in rates.items())
    return Value(stay / len(rates), support=len(rates))


def exclusion_by_field(views: Sequence[FilterView]) -> dict[str, tuple[float, int]]:
    """Return for each field with hard predicates how often they alone removed all that is eligible, and over how many.

    >>> exclusion_by_field([FilterView(frozenset({"d2"}), frozenset(), {"locale == 'en-US'": frozenset({"d2"})})])
    {'locale': (1.0, 1)}
    """
    removed: dict[str, list[bool]] = {}
    for view in views:
        if view.survivors is None or not view.eligible:
            continue
        by_field: dict[str, frozenset[str]] = {}
        for predicate, documents in view.removed_by.items():
            field = predicate.partition(" ")[0].removeprefix("metadata.")
            by_field[field] = by_field.get(field, frozenset()) | documents
        for field, documents in by_field.items():
            removed.setdefault(field, []).append(view.eligible <= documents)
    return {field: (sum(all_gone) / len(all_gone), len(all_gone)) for field, all_gone in sorted(removed.items())}


def rows(tables: Sequence[ExclusionTable], *, epsilon: float = 0.01) -> list[HardOrSoft]:
    """Decide for each predicate that was asked both ways: hard only if it excludes almost nothing and wins precision.

    >>> asked = [ExclusionTable("locale", hard_found=1, soft_found=0, relevant=1, k=1, excluded=False)] * 5
    >>> [(row.decision, row.hard_precision, row.soft_precision, row.p_value) for row in rows(asked)]
    [('hard', 1.0, 0.0, 0.03125)]
    """
    by_predicate: dict[str, list[ExclusionTable]] = {}
    for table in tables:
        by_predicate.setdefault(table.predicate, []).append(table)
    return [_row(name, asked, epsilon=epsilon) for name, asked in sorted(by_predicate.items())]


def _row(name: str, asked: Sequence[ExclusionTable], *, epsilon: float) -> HardOrSoft:
    count = len(asked)
    answerable = [table for table in asked if table.relevant]
    exclusion = sum(table.excluded for table in answerable) / len(answerable) if answerable else 0.0
    p_value = _sign_test(
        sum(table.hard_found > table.soft_found for table in asked),
        sum(table.hard_found < table.soft_found for table in asked),
    )
    decision: Literal["hard", "soft"] = "soft"
    if name.partition(" ")[0] in CORRECTNESS_FIELDS:
        decision, reason = "hard", "correctness is binary here"
    elif exclusion >= epsilon:
        reason = f"it removes the answer of {exclusion:.1%} of the questions (limit {epsilon:.1%})"
    elif p_value >= _ALPHA:
        reason = f"its precision as a hard filter is not higher (p = {p_value:.3f})"
    else:
        decision, reason = "hard", "it removes almost no answer and wins precision"
    return HardOrSoft(
        predicate=name,
        questions=count,
        hard_recall=_mean([table.hard_found / table.relevant for table in answerable]),
        soft_recall=_mean([table.soft_found / table.relevant for table in answerable]),
        hard_precision=_mean([table.hard_found / table.k for table in asked]),
        soft_precision=_mean([table.soft_found / table.k for table in asked]),
        exclusion_rate=exclusion,
        p_value=p_value,
        decision=decision,
        reason=reason,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def _sign_test(wins: int, losses: int) -> float:
    """Return the chance of at least so many wins if wins and losses were equally likely; ties say nothing."""
    trials = wins + losses
    likely = sum(math.comb(trials, i) for i in range(wins, trials + 1))
    return float(likely / (1 << trials))
