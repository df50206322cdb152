"""Which of two systems a judge prefers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import PreferenceView
from ragtriage.stats.preference import length_controlled_win_rate, outcome_of, win_rate


@metric(
    title="Pairwise preference",
    unit="win rate of the candidate",
    bounds=(0, 1),
    better="higher",
    source="MT-Bench (Zheng et al. 2023); length-controlled AlpacaEval (Dubois et al. 2024)",
    aggregate="set",
    proxy=True,
)
def pairwise_preference(
    views: Sequence[PreferenceView], *, form: Literal["plain", "length_controlled"] = "plain"
) -> Score:
    """Share of questions on which the candidate's answer is preferred, a tie half.

    Each pair is judged in both orders and a disagreement is a tie. Form `length_controlled`: the rate expected
    between answers of equal length. Undefined when no pair was judged.

    >>> won = PreferenceView("candidate", "candidate", candidate_words=9, base_words=9)
    >>> first = PreferenceView("candidate", "base", candidate_words=9, base_words=9)
    >>> pairwise_preference([won, first])
    Value(value=0.75, support=2)
    """
    if not views:
        return Undefined("no pair of answers was judged")
    outcomes = [outcome_of(view.straight, view.swapped) for view in views]
    if form == "plain":
        return Value(win_rate(outcomes), support=len(outcomes))
    longer = [float(view.candidate_words - view.base_words) for view in views]
    return Value(length_controlled_win_rate(outcomes, longer), support=len(outcomes))
