"""Multi-vector against single-vector search on texts where the two differ by construction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ragtriage.core.errors import BadInput
from ragtriage.models.token_ports import CallableTokens
from ragtriage.workflows.multi_vector import Asked, compare_multi_vector, compare_searches

WORDS = ("fee", "card", "loan", "rate", "cash", "limit", "abroad", "lost")
TEXTS = {
    "fees": "fee fee card card card",
    "loans": "loan rate",
    "cash": "cash limit",
    "long": "loan rate cash limit abroad lost fee card cash limit",
}


def tokens(texts: Sequence[str], _kind: str = "") -> list[Any]:
    return [np.eye(len(WORDS))[[WORDS.index(word) for word in text.split()]] for text in texts]


class Mean:
    """The single vector of a text: the sum of its tokens."""

    identity = "mean"

    async def embed(self, texts: Sequence[str]) -> list[Any]:
        return [table.sum(axis=0).astype(np.float32) for table in tokens(texts)]


TOKENS = CallableTokens(tokens, identity="tokens")


def test_the_difference_is_paired_and_the_storage_counted() -> None:
    questions = [Asked("abroad lost", {"long": 1}), Asked("fee loan", {"long": 1}), Asked("rate", {"loans": 1})]
    found = compare_multi_vector(TEXTS, questions, passages=Mean(), queries=Mean(), tokens=TOKENS, k=1)
    recall, ndcg = found.scores
    # One vector: `fee loan` is nearer to `loans` (1 / 2) than to `long` (2 / sqrt(2 * 14)); the others are found.
    # MaxSim: `long` holds both words (2), `loans` one; `rate` ties the two, and `loans` comes first.
    assert (recall.single, recall.multi, recall.questions) == (pytest.approx(2 / 3), 1.0, 3)
    assert (recall.difference, recall.low, recall.high) == (pytest.approx(1 / 3), 0.0, 1.0)
    assert recall.p == 1.0  # one question of three differs: both swaps are as far apart
    assert (ndcg.single, ndcg.multi) == (pytest.approx(2 / 3), 1.0)
    assert (found.single_numbers, found.multi_numbers) == (8.0, 8 * (5 + 2 + 2 + 10) / 4)
    assert found.storage == pytest.approx(19 / 4)


def test_a_question_that_nothing_answers_is_counted_and_not_scored() -> None:
    found = compare_searches([["a"], ["a"]], [["b"], ["a"]], [Asked("?", {}), Asked("?", {"a": 1})], k=1)
    assert [(one.questions, one.undefined, one.difference) for one in found] == [(1, 1, 0.0)] * 2
    (empty, _) = compare_searches([["a"]], [["a"]], [Asked("?", {})], k=1)
    assert (empty.questions, empty.difference, empty.p) == (0, None, None)


def test_what_cannot_be_compared_is_refused() -> None:
    asked = [Asked("fee", {"fees": 1})]
    with pytest.raises(BadInput, match="Got 0 and 1"):
        compare_multi_vector({}, asked, passages=Mean(), queries=Mean(), tokens=TOKENS)
    one = CallableTokens(lambda texts, kind: tokens(texts[:1], kind), identity="one")
    with pytest.raises(BadInput, match="Got 1 for 4 texts"):
        compare_multi_vector(TEXTS, asked, passages=Mean(), queries=Mean(), tokens=one)
    flat = CallableTokens(lambda texts, _: [np.ones(3) for _ in texts], identity="flat")
    with pytest.raises(BadInput, match=r"an array of shape \(3,\)"):
        compare_multi_vector(TEXTS, asked, passages=Mean(), queries=Mean(), tokens=flat)

    def uneven(texts: Sequence[str], kind: str) -> list[Any]:
        return [table[:, : 8 if kind == "passage" else 5] for table in tokens(texts)]

    with pytest.raises(BadInput, match="the vectors cannot be compared"):
        compare_multi_vector(TEXTS, asked, passages=Mean(), queries=Mean(), tokens=CallableTokens(uneven, identity="u"))
