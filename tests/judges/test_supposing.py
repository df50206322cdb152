"""What a judge is supposed to say before it is asked."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ragtriage.core.records import Case, Trace
from ragtriage.judges.asking import Ask, Piece, prepare, read_reply
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.model import JudgeOptions, ModelJudge
from ragtriage.judges.supposing import SupposedEmbedder, SupposedModel, Supposing, suppose
from ragtriage.models.ports import ChatReply

TEXT = "The fee is 5 euro. It is due on the first day. Cards are free."
SOURCES = (Piece("s1", "The fee is 5 euro. Everything else is free of charge."), Piece("s2", "Rules."))


def question_for(name: str) -> Ask:
    rubric = RUBRICS[name]
    given = {one: TEXT for one in rubric.file.inputs if one not in {"sources", "items"}}
    items = (Piece("a1", "The fee is 5 euro."), Piece("a2", "Cards are free.")) if rubric.file.reply == "each" else ()
    return Ask(rubric, given, SOURCES if "sources" in rubric.file.inputs else (), items)


@pytest.mark.parametrize("name", RUBRICS.names())
@pytest.mark.parametrize("seed", range(5))
def test_a_supposed_reply_is_one_that_the_rubric_allows(name: str, seed: int) -> None:
    asked = question_for(name)
    prepared = prepare(asked, seed=seed)
    found = read_reply(prepared, ChatReply(suppose(prepared), "stop"))
    assert len(found) == (len(asked.items) or {"claim_extraction": 3, "completeness": 3}.get(name, len(found)))


def test_a_judge_that_supposes_asks_what_the_real_one_would_and_keeps_apart_what_is_known() -> None:
    async def forget(_: Any) -> None:
        return None

    case = Case.model_validate_json('{"case_id": "c", "question": "What is the fee?", "risk": "high", '
                                    '"expected": {"answer": "It is 5 euro."}}')  # fmt: skip
    trace = Trace.model_validate_json('{"trace_id": "t", "question": "What is the fee?", "answer": {"text": '
                                      '"The fee is 5 euro. Cards are free."}, "context": [{"id": "d", "text": '
                                      '"The fee is 5 euro."}]}')  # fmt: skip
    first, second, vectors = (
        SupposedModel("one", lambda _: None),
        SupposedModel("two", lambda _: None),
        SupposedEmbedder("three"),
    )
    asks = frozenset({"behaviour", "claims", "reference", "relevance", "questions", "parts", "similarity"})
    options = JudgeOptions(asks, second=second, embedder=vectors, asker=Supposing)
    verdicts = asyncio.run(ModelJudge(first, options).judge(case, trace, forget))
    assert not verdicts.failed
    asked = sorted(one.request.purpose for one in first.expected)
    assert asked == ["abstention", "claim_correctness", "claim_correctness", "claim_extraction", "claim_extraction",
                     "claim_support", "completeness", "context_relevance", "question_generation"]  # fmt: skip
    assert [one.request.purpose for one in second.expected] == ["claim_support"]
    assert (vectors.calls, len(vectors.texts)) == (2, 4 + 2)

    def find(request: Any) -> ChatReply | None:
        return next((ChatReply(one.reply, "stop") for one in first.expected[:3] if one.request == request), None)

    again = SupposedModel("one", find)
    asyncio.run(ModelJudge(again, options).judge(case, trace, forget))
    assert len(again.expected) == len(first.expected) - 3
