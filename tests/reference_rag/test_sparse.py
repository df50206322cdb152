"""BM25 on small corpora, where a wrong idf shows."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from reference_rag.sparse import Bm25, inverse_frequencies

DOCUMENTS = [["gift", "cards"], ["shipping", "times"], ["refund", "form"], ["refund", "policy"]]


def everything(n: int) -> np.ndarray:
    return np.ones(n, dtype=np.bool_)


def test_a_term_in_half_of_the_documents_still_counts(shared: Callable[[str], Path]) -> None:
    case = json.loads(shared("cases/inputs/B07.json").read_text(encoding="utf-8"))
    found = Bm25(case["docs"]).search(case["query"], allowed=everything(4), depth=10)
    assert [place for place, _ in found] == [2, 3]
    # tf = 1 and every document is as long as the average: idf * 1 / (1 + 1.5)
    assert [score for _, score in found] == pytest.approx([math.log(2) / 2.5] * 2, rel=1e-6)
    assert inverse_frequencies(case["docs"])["refund"] == pytest.approx(math.log(2), abs=1e-12)
    assert [p for p, _ in Bm25(case["tiny"]).search(case["query"], allowed=everything(2), depth=10)] == [1]


def test_a_document_without_a_query_term_is_not_retrieved() -> None:
    assert Bm25(DOCUMENTS).search(["nothing"], allowed=everything(4), depth=10) == []
    assert Bm25(DOCUMENTS).search([], allowed=everything(4), depth=10) == []
    assert Bm25([[], []]).search(["refund"], allowed=everything(2), depth=10) == []


def test_what_is_not_allowed_takes_no_place_of_the_depth() -> None:
    allowed = np.array([True, True, False, True])
    assert [place for place, _ in Bm25(DOCUMENTS).search(["refund"], allowed=allowed, depth=1)] == [3]
