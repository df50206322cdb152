from __future__ import annotations

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import CoverageView
from ragtriage.metrics.retrieval.coverage import coverage


def test_a_golden_document_counts_once_whichever_question_found_it() -> None:
    first = CoverageView(golden=frozenset({"a", "b"}), retrieved=frozenset({"x"}))
    second = CoverageView(golden=frozenset({"b", "c"}), retrieved=frozenset({"a", "b"}))
    assert coverage([first, second]) == Value(2 / 3, support=3)


def test_no_golden_document_is_undefined() -> None:
    assert coverage([CoverageView(frozenset(), frozenset({"x"}))]) == Undefined("no golden document")
    assert coverage([]) == Undefined("no golden document")
