"""A chat model that is allowed more or fewer tokens a reply than its questions ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ragtriage.models.ports import ChatReply, ChatRequest, KeepingChatModel

__all__ = ["LimitedChat"]


@dataclass(frozen=True, slots=True)
class LimitedChat:
    """Passes every request on with `max_tokens` as its most; a reply that is cut there fails as truncated."""

    inner: KeepingChatModel
    max_tokens: int

    @property
    def identity(self) -> str:
        """The identity of the model behind: a reply that ended by itself is the same whatever it was allowed."""
        return self.inner.identity

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the reply; raises as the model behind does."""
        return await self.inner.complete(self._limited(request))

    async def confirm(self, request: ChatRequest, reply: ChatReply) -> None:
        """Tell a model behind that remembers replies that this one was valid."""
        await self.inner.confirm(self._limited(request), reply)

    def _limited(self, request: ChatRequest) -> ChatRequest:
        return replace(request, max_tokens=self.max_tokens)
