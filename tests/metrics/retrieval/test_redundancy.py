from __future__ import annotations

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import RedundancyView
from ragtriage.metrics.retrieval.redundancy import redundancy

FEE = "The fee for an early repayment is one percent of the remainder."


def test_a_result_that_repeats_an_earlier_one_counts_in_any_spelling() -> None:
    texts = (FEE, "Opening hours on Sunday.", FEE.upper(), "Комиссия составляет один процент.")
    assert redundancy(RedundancyView(texts), k=4) == Value(0.25, support=4)
    assert redundancy(RedundancyView(texts), k=2) == Value(0.0, support=2)


def test_a_short_list_is_measured_by_its_own_length() -> None:
    assert redundancy(RedundancyView((FEE, FEE)), k=10) == Value(0.5, support=2)


def test_one_result_can_repeat_nothing_and_unknown_texts_are_undefined() -> None:
    assert isinstance(redundancy(RedundancyView((FEE, FEE)), k=1), Undefined)
    assert isinstance(redundancy(RedundancyView((FEE,)), k=5), Undefined)
    assert isinstance(redundancy(RedundancyView(None), k=5), Undefined)
