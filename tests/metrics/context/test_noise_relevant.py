"""Noise from relevant and irrelevant items, against a plain transcription of RAGChecker's matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.score import Undefined, Value
from ragtriage.core.verdicts import ClaimVerdict
from ragtriage.core.views import ClaimsView
from ragtriage.metrics.context.noise_irrelevant import noise_irrelevant
from ragtriage.metrics.context.noise_relevant import noise_relevant

ITEMS = ("c1", "c2", "c3")
ROW = st.lists(st.booleans(), min_size=3, max_size=3)


def claims(of: Any, rows: list[list[bool]], right: list[bool] | None = None) -> tuple[ClaimVerdict, ...]:
    return tuple(
        ClaimVerdict(
            claim_id=str(n),
            of=of,
            text="x",
            start=0,
            end=1,
            items={i: "supported" if yes else "not_in_context" for i, yes in zip(ITEMS, row, strict=True)},
            reference=None if right is None else "supported" if right[n] else "contradicted",
        )
        for n, row in enumerate(rows)
    )


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_noise_is_that_of_ragchecker(data: st.DataObject) -> None:
    answer = data.draw(st.lists(ROW, min_size=1, max_size=4))
    reference = data.draw(st.lists(ROW, min_size=1, max_size=3))
    right = data.draw(st.lists(st.booleans(), min_size=len(answer), max_size=len(answer)))
    retrieved2response, retrieved2answer = np.array(answer), np.array(reference)
    relevant = retrieved2answer.max(axis=0)
    by_relevant = (retrieved2response & relevant).max(axis=1)
    by_irrelevant = (retrieved2response & ~relevant).max(axis=1) & ~by_relevant
    incorrect = ~np.array(right)
    view = ClaimsView(claims("answer", answer, right), claims("reference", reference), context_ids=ITEMS)
    assert noise_relevant(view) == Value(float((by_relevant & incorrect).mean()), len(answer))
    assert noise_irrelevant(view) == Value(float((by_irrelevant & incorrect).mean()), len(answer))


def test_gold_evidence_makes_an_item_relevant_too() -> None:
    wrong = claims("answer", [[False, True, False]], [False])
    view = ClaimsView(wrong, (), context_ids=ITEMS, relevant_ids=frozenset({"c2"}))
    assert (noise_relevant(view), noise_irrelevant(view)) == (Value(1.0, 1), Value(0.0, 1))
    other = ClaimsView(wrong, (), context_ids=ITEMS, relevant_ids=frozenset({"c1"}))
    assert (noise_relevant(other), noise_irrelevant(other)) == (Value(0.0, 1), Value(1.0, 1))


def test_a_wrong_claim_that_no_item_supports_is_no_noise() -> None:
    view = ClaimsView(claims("answer", [[False] * 3], [False]), (), context_ids=ITEMS)
    assert (noise_relevant(view), noise_irrelevant(view)) == (Value(0.0, 1), Value(0.0, 1))


def test_it_is_undefined_without_judge_claim_reference_or_context() -> None:
    unread = claims("answer", [[True] * 3])
    read = claims("answer", [[True] * 3], [True])
    for view in (
        ClaimsView(None, None, context_ids=ITEMS),
        ClaimsView((), (), context_ids=ITEMS),
        ClaimsView(unread, (), context_ids=ITEMS),
        ClaimsView(read, (), context_ids=None),
    ):
        assert isinstance(noise_relevant(view), Undefined)
        assert isinstance(noise_irrelevant(view), Undefined)
