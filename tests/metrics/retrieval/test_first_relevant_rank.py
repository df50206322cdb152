from __future__ import annotations

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings
from ragtriage.metrics.retrieval.first_relevant_rank import first_relevant_rank


def test_it_is_the_rank_and_undefined_where_none_was_found() -> None:
    rankings = Rankings.of([["n", "a"], ["a"], ["n"], None], [{"a": 1}] * 4)
    none = Undefined("no relevant result was found")
    assert list(first_relevant_rank(rankings)) == [Value(2.0, 1), Value(1.0, 1), none, none]
