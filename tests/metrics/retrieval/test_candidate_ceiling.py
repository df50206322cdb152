from __future__ import annotations

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Candidates
from ragtriage.metrics.retrieval.candidate_ceiling import candidate_ceiling


def test_it_is_the_recall_of_the_whole_pool_or_of_its_first_n() -> None:
    pool = Candidates.of([["x", "a", "y", "b"]], [{"a": 1, "b": 2, "lost": 1}])
    assert [candidate_ceiling(pool, n=n)[0] for n in (1, 2, None)] == [Value(0.0, 3), Value(1 / 3, 3), Value(2 / 3, 3)]


def test_nothing_relevant_is_undefined() -> None:
    assert list(candidate_ceiling(Candidates.of([["x"]], [{}]))) == [Undefined("nothing is relevant")]


def test_candidates_stay_candidates_when_rows_are_taken() -> None:
    assert isinstance(Candidates.of([["x"], ["y"]], [{}, {}]).take([1]), Candidates)
