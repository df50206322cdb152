from __future__ import annotations

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings
from ragtriage.metrics.retrieval.context_recall import context_recall


def test_the_lessons_ids_give_a_quarter() -> None:
    needed = dict.fromkeys(["doc_1", "doc_4", "doc_5", "doc_6"], 1)
    assert list(context_recall(Rankings.of([["doc_1", "doc_2", "doc_3"]], [needed]))) == [Value(0.25, support=4)]


def test_nothing_needed_is_undefined() -> None:
    assert list(context_recall(Rankings.of([["doc_1"]], [{}]))) == [Undefined("nothing is needed")]
