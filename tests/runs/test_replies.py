"""Replies of a system that cannot be what they say they are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from ragtriage.core.records import Answer, Citation, ContextItem, Entity, Hit
from ragtriage.core.system import Question
from ragtriage.runs.asking import LONGEST_ANSWER, AskFailed, Reply, read_reply


@pytest.mark.parametrize(
    ("record", "fields"),
    [
        (Hit, {"id": "a"}), (ContextItem, {"id": "a", "text": "x"}), (Citation, {"ids": ("a",)}),
        (Entity, {"mention": "a"}),
    ],
)  # fmt: skip
def test_a_span_that_ends_before_it_begins_is_refused_wherever_it_stands(record, fields):
    assert record(**fields, start=2, end=2).end == 2
    with pytest.raises(ValidationError, match=r"must not end before it begins. Got \[3, 1\)"):
        record(**fields, start=3, end=1)


def test_a_citation_beyond_the_answer_is_refused():
    assert Answer(text="abc", citations=(Citation(start=0, end=3, ids=("a",)),)).citations
    with pytest.raises(ValidationError, match="a citation ends at 999, and the text has 3 characters"):
        Answer(text="abc", citations=(Citation(start=0, end=999, ids=("a",)),))


@pytest.mark.parametrize("answer", ["x" * (LONGEST_ANSWER + 1), {"text": "x" * (LONGEST_ANSWER + 1)}])
def test_an_answer_without_end_fails_its_case_and_holds_nothing_up(answer):
    with pytest.raises(AskFailed, match="the answer has 200,001 characters; at most 200,000 are read"):
        read_reply(
            Reply({"answer": answer}, 1.0), Question("?", "q1"), repeat=0, asked_at=datetime(2026, 1, 1, tzinfo=UTC)
        )
