"""The most tokens of a reply can be set for all questions, and the reply is remembered under what was really asked."""

from __future__ import annotations

import asyncio

from ragtriage.models.limited import LimitedChat
from ragtriage.models.ports import ChatReply, ChatRequest, Message


class Noting:
    identity = "noting"

    def __init__(self) -> None:
        self.asked: list[ChatRequest] = []
        self.confirmed: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        return ChatReply("{}", "stop")

    async def confirm(self, request: ChatRequest, reply: ChatReply) -> None:
        del reply
        self.confirmed.append(request)


def test_every_question_may_use_as_many_tokens_as_the_configuration_says():
    inner = Noting()
    chat = LimitedChat(inner, 50)
    request = ChatRequest((Message("user", "?"),), max_tokens=9000)
    asyncio.run(chat.confirm(request, asyncio.run(chat.complete(request))))
    assert [r.max_tokens for r in inner.asked] == [r.max_tokens for r in inner.confirmed] == [50]
    assert chat.identity == inner.identity
