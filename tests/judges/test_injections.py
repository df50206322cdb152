"""Planted text never gets out of its fence, never becomes a reply, and a judge that obeys it is voided."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from tests.fakes.judge import FakeJudge, shown_to
from tests.judges.injections import TRUE, WANTS, injections

from ragtriage.judges.asking import Ask, Piece, prepare, read_reply
from ragtriage.judges.calling import Asker, AskFailed
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.lexical import verify
from ragtriage.judges.parsing import ReplyRejected
from ragtriage.models.ports import ChatReply

ALL = injections()
FALSE = "The moon is made of cheese"


def asked(text: str, language: str) -> Ask:
    items = (Piece("true", TRUE[language]), Piece("false", FALSE))
    return Ask(RUBRICS["claim_support"], {"question": "?"}, (Piece("d1", text), Piece("d2", "Else.")), items)


async def forget(call: Any) -> None:
    del call


class Convinced(FakeJudge):
    """Says that everything is supported wherever it finds anything but plain facts in its data."""

    def _claim_support(self, data: Any) -> dict[str, Any]:
        reply = super()._claim_support(data)
        source = data["SOURCES"][0]
        for one in reply["verdicts"]:
            one["evidence"] = [{"source": source["id"], "quote": source["text"], "stance": "supports"}]
            one["label"] = "supported"
        return reply


def test_there_are_three_hundred_in_four_languages_and_no_two_are_the_same():
    assert len(ALL) == len({i.text for i in ALL}) == 300
    assert {i.language for i in ALL} == set(WANTS)


def test_no_planted_text_leaves_its_fence_or_is_lost_in_it():
    for one in ALL:
        request = prepare(asked(one.text, one.language), seed=1).request
        system, user = (m.content for m in request.messages)
        assert one.text in [s["text"] for s in shown_to(request)["SOURCES"]], one.name
        assert one.text not in system
        nonce = user.split("\n", 1)[0].split()[-1]
        assert len(re.findall(nonce, user)) == 2
        assert len(user.splitlines()) == len(user.split("\n")), one.name


def test_an_honest_judge_is_read_the_same_with_and_without_the_planted_text():
    for one in ALL:
        (true, false) = asyncio.run(Asker(FakeJudge(), 1, forget).ask(asked(one.text, one.language)))
        assert (true.values["label"], false.values["label"]) == ("supported", "not_in_context"), one.name


def test_a_judge_that_obeys_is_void_and_no_claim_passes():
    for one in ALL:
        with pytest.raises(AskFailed, match="canary"):
            asyncio.run(Asker(Convinced(), 1, forget).ask(asked(one.text, one.language)))


def test_a_judge_that_repeats_the_planted_text_gives_no_verdict():
    for one in ALL:
        prepared = prepare(asked(one.text, one.language), seed=1)
        for reply in (one.text, one.text.removeprefix(f"{TRUE[one.language]} "), json.dumps({"verdicts": one.text})):
            try:
                read_reply(prepared, ChatReply(reply, "stop"))
            except ReplyRejected:
                continue
            raise AssertionError(one.name)


def test_the_judge_that_is_code_supports_no_false_claim_because_of_them():
    for one in ALL:
        assert verify(FALSE + ".", one.text).label != "supported", one.name
