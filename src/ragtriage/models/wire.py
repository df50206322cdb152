"""The OpenAI chat protocol as text: requests written, replies read strictly, and nothing sent."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ragtriage.core.files import parse_json
from ragtriage.core.identity import canonical, hash_bytes, quoted
from ragtriage.models.attempts import AttemptFailed, HttpReply
from ragtriage.models.ports import ChatReply, ChatRequest, TokenLogprob, Usage

__all__ = [
    "chat_body",
    "most_chat_tokens",
    "parsed",
    "read_chat",
    "read_usage",
    "request_as_data",
    "request_key",
    "whole",
]

_TOKENS_A_PROMPT = 64  # a template's own preamble
_SHOWN_CHARACTERS = 200
_TOO_MANY = 429


def request_as_data(request: ChatRequest) -> dict[str, Any]:
    """Return everything of a request that decides its reply, as plain data."""
    return {
        "messages": [[message.role, message.content] for message in request.messages],
        "schema": request.schema,
        "schema_name": request.schema_name,
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "top_logprobs": request.top_logprobs,
        "sample_index": request.sample_index,
    }


def request_key(request: ChatRequest) -> str:
    """Return the hash of everything in a request that decides its reply; a request is hashed once."""
    if not request.key:
        said = ",".join(f'["{one.role}",{text}]' for one, text in zip(request.messages, _written(request), strict=True))
        schema = "null" if request.schema is None else _schema_text(_Same(request.schema), ordered=False)
        rest = _plain_rest(request.schema_name, request.seed, request.temperature, request.top_logprobs)
        before, between = f'"max_tokens":{request.max_tokens:d}', f'"sample_index":{request.sample_index:d}'
        # The canonical JSON of `request_as_data`.
        whole = f'{{{before},"messages":[{said}],{between},"schema":{schema},{rest}'
        object.__setattr__(request, "key", hash_bytes(whole.encode()))
    return request.key


def _written(request: ChatRequest) -> tuple[str, ...]:
    """Return the messages' texts as JSON strings; they are long, so each is written once a request."""
    if not request.written:
        object.__setattr__(request, "written", tuple(quoted(message.content) for message in request.messages))
    return request.written


@functools.lru_cache(maxsize=256, typed=True)
def _plain_rest(schema_name: str, seed: int | None, temperature: float, top_logprobs: int | None) -> str:
    """Return what stands in the canonical JSON of a request after its schema."""
    fields = {"schema_name": schema_name, "seed": seed, "temperature": temperature, "top_logprobs": top_logprobs}
    return canonical(fields)[1:]


class _Same:
    """A schema by its identity: rubrics hold theirs for good, and writing it out again for every call is dear."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.schema is other.schema


@functools.lru_cache(maxsize=64)
def _schema_text(same: _Same, *, ordered: bool) -> str:
    """Write a schema; `ordered`: with its fields in their order, which is the order that they are filled in."""
    if ordered:
        return json.dumps(same.schema, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return canonical(same.schema)


def chat_body(request: ChatRequest, *, model: str, refused: frozenset[str]) -> bytes:
    """Write the body of a request; `refused`: names of parameters that this endpoint does not take."""
    said = ",".join(
        f'{{"role":"{one.role}","content":{text}}}'
        for one, text in zip(request.messages, _written(request), strict=True)
    )
    rest = _plain_fields(refused, request.temperature, request.max_tokens, request.seed, request.top_logprobs)
    form = ""
    if request.schema is not None and "response_format" not in refused:
        schema, name = _schema_text(_Same(request.schema), ordered=True), json.dumps(request.schema_name)
        named = f'{{"name":{name},"strict":true,"schema":{schema}}}'
        form = f',"response_format":{{"type":"json_schema","json_schema":{named}}}'
    return f'{{"model":{quoted(model)},"messages":[{said}],{rest}{form}}}'.encode()


@functools.lru_cache(maxsize=256, typed=True)
def _plain_fields(
    refused: frozenset[str], temperature: float, max_tokens: int, seed: int | None, top_logprobs: int | None
) -> str:
    """Return the parameters of a request as they stand in its body."""
    fields: dict[str, Any] = {}
    if "temperature" not in refused:
        fields["temperature"] = temperature
    fields["max_completion_tokens" if "max_tokens" in refused else "max_tokens"] = max_tokens
    if seed is not None and "seed" not in refused:
        fields["seed"] = seed
    if top_logprobs is not None and "logprobs" not in refused:
        fields["logprobs"] = True
        fields["top_logprobs"] = top_logprobs
    return json.dumps(fields, allow_nan=False, separators=(",", ":"))[1:-1]


def most_chat_tokens(request: ChatRequest, body: bytes) -> Usage:
    """Return the tokens that a request can be billed for at the worst.

    No tokeniser in use makes more tokens than a text has bytes, and what JSON puts around a message is longer than what
    a chat template puts there.
    """
    return Usage(input_tokens=len(body) + _TOKENS_A_PROMPT, output_tokens=request.max_tokens)


def read_chat(reply: HttpReply) -> tuple[ChatReply, Usage | None]:
    """Read one finished reply; raises AttemptFailed for every other: refused, cut, empty, out of the protocol."""
    document = parsed(reply)
    usage = read_usage(document)
    choices = document.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        raise _bad("must hold exactly one choice", usage)
    message, reason = choices[0].get("message"), choices[0].get("finish_reason")
    if not isinstance(message, dict):
        raise _bad("its choice holds no message", usage)
    refusal = message.get("refusal")
    if refusal:
        raise AttemptFailed("refused", f"the model refused: {str(refusal)[:_SHOWN_CHARACTERS]}", billed=usage)
    if reason == "content_filter":
        raise AttemptFailed("refused", "the endpoint's content filter held the reply back", billed=usage)
    if reason == "length":
        raise AttemptFailed("truncated", "the reply was cut at its most tokens", billed=usage)
    if reason != "stop":
        raise _bad(f"its finish reason must be 'stop'. Got {str(reason)[:_SHOWN_CHARACTERS]!r} instead", usage)
    text = _text_of(message.get("content"))
    if text is None or not text.strip():
        raise AttemptFailed("bad_reply", "the reply is empty", billed=usage)
    served = document.get("model")
    found = ChatReply(
        text=text,
        finish_reason=reason,
        served_model=served if isinstance(served, str) and served else None,
        usage=usage,
        logprobs=_logprobs(choices[0].get("logprobs"), usage),
        latency_ms=reply.latency_ms,
    )
    return found, usage


def parsed(reply: HttpReply) -> dict[str, Any]:
    """Parse a successful reply as one strict JSON object; raises AttemptFailed, also for an error inside it."""
    try:
        document = parse_json(reply.text)
    except (ValueError, RecursionError) as error:
        raise AttemptFailed("bad_reply", f"the reply {error}", again=True) from None
    if not isinstance(document, dict):
        raise AttemptFailed("bad_reply", "the reply must be one JSON object", again=True)
    said = document.get("error")
    if said:  # some gateways report what broke behind them with status 200
        code = said.get("code") if isinstance(said, dict) else None
        message = f"the endpoint reports an error: {json.dumps(said, ensure_ascii=False)[:_SHOWN_CHARACTERS]}"
        if code in {_TOO_MANY, str(_TOO_MANY), "rate_limit_exceeded"}:
            raise AttemptFailed("rate_limited", message, again=True, overload=True, sent=False)
        raise AttemptFailed("server", message, again=True, unhealthy=True)
    return document


def read_usage(document: Mapping[str, Any]) -> Usage | None:
    """Read the tokens that a reply was billed for; None where it does not count them in whole numbers."""
    usage = document.get("usage")
    if not isinstance(usage, dict):
        return None
    read, written = whole(usage.get("prompt_tokens")), whole(usage.get("completion_tokens", 0))
    if read is None or written is None:
        return None
    details = usage.get("prompt_tokens_details")
    cached = whole(details.get("cached_tokens")) if isinstance(details, dict) else None
    return Usage(input_tokens=read, output_tokens=written, cached_tokens=min(cached or 0, read))


def whole(value: Any) -> int | None:
    """Return a whole number of 0 or more; None for everything else, also for true and false."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text_of(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if len(texts) == len(content) else None


def _logprobs(raw: Any, usage: Usage | None) -> tuple[TokenLogprob, ...] | None:
    tokens = raw.get("content") if isinstance(raw, dict) else None
    if tokens is None:
        return None
    if not isinstance(tokens, list):
        raise _bad("its log probabilities are no list", usage)
    return tuple(_token(one, usage) for one in tokens)


def _token(raw: Any, usage: Usage | None) -> TokenLogprob:
    token, logprob = _pair(raw, usage)
    top = raw.get("top_logprobs")
    likeliest: Sequence[Any] = top if isinstance(top, list) else ()
    # A token that the schema rules out has no probability, which some servers write as null.
    possible = [one for one in likeliest if not (isinstance(one, dict) and one.get("logprob", 0) is None)]
    return TokenLogprob(token, logprob, tuple(_pair(one, usage) for one in possible))


def _pair(raw: Any, usage: Usage | None) -> tuple[str, float]:
    token, logprob = (raw.get("token"), raw.get("logprob")) if isinstance(raw, dict) else (None, None)
    if not isinstance(token, str) or not isinstance(logprob, int | float) or isinstance(logprob, bool):
        raise _bad("a log probability is no number of a token", usage)
    if not math.isfinite(logprob):
        raise _bad("a log probability is not finite", usage)
    return token, float(logprob)


def _bad(what: str, usage: Usage | None) -> AttemptFailed:
    return AttemptFailed("bad_reply", f"the reply is not of the chat protocol: {what}", billed=usage)
