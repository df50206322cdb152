"""Replies as plain data and back, for the cache and for recordings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragtriage.models.ports import ChatReply, TokenLogprob, Usage

__all__ = ["reply_as_data", "reply_from_data"]


def reply_as_data(reply: ChatReply) -> dict[str, Any]:
    """Return what a reply said and what it was billed for; what it was worth to this run is left out."""
    usage = reply.usage
    logprobs = reply.logprobs
    return {
        "text": reply.text,
        "finish_reason": reply.finish_reason,
        "served_model": reply.served_model,
        "usage": None if usage is None else [usage.input_tokens, usage.output_tokens, usage.cached_tokens],
        "logprobs": None
        if logprobs is None
        else [[one.token, one.logprob, [list(pair) for pair in one.top]] for one in logprobs],
        "latency_ms": reply.latency_ms,
    }


def reply_from_data(data: Mapping[str, Any]) -> ChatReply:
    """Read a reply; raises KeyError, TypeError or ValueError for anything that `reply_as_data` does not write.

    >>> reply = ChatReply("yes", "stop", "judge-1", Usage(10, 1), (TokenLogprob("yes", -0.1, (("no", -2.0),)),))
    >>> reply_from_data(reply_as_data(reply)) == reply
    True
    """
    text, reason, served, usage, logprobs = (
        data[name] for name in ("text", "finish_reason", "served_model", "usage", "logprobs")
    )
    if not isinstance(text, str) or not isinstance(reason, str) or not isinstance(served, str | None):
        raise TypeError("'text' and 'finish_reason' must be texts, 'served_model' a text or null")
    if usage is not None and not all(type(count) is int and count >= 0 for count in usage):
        raise TypeError("'usage' must hold whole numbers")
    return ChatReply(
        text=text,
        finish_reason=reason,
        served_model=served,
        usage=None if usage is None else Usage(*usage),
        logprobs=None if logprobs is None else tuple(_token(*one) for one in logprobs),
        latency_ms=float(data["latency_ms"]),
    )


def _token(token: str, logprob: float, top: list[tuple[str, float]]) -> TokenLogprob:
    return TokenLogprob(str(token), float(logprob), tuple((str(name), float(number)) for name, number in top))
