"""Conversations on file: what a model was asked and said, recorded once, then replayed without it.

A recording is JSON Lines: a first line that names who answered, then one line a request, in the order of their hashes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import parse_json, read_lines, write_atomic
from ragtriage.core.identity import hash_json
from ragtriage.models.ports import CallFailed, ChatModel, ChatReply, ChatRequest
from ragtriage.models.replies import reply_as_data, reply_from_data
from ragtriage.models.wire import request_as_data, request_key

__all__ = ["RecordingChat", "ReplayChat"]

_SCHEMA = "ragtriage.recording/1"
_KINDS = frozenset({"rate_limited", "timeout", "server", "refused", "truncated", "bad_reply", "network"})


class RecordingChat:
    """Asks another model and remembers replies and failures; `save` writes them."""

    def __init__(self, model: ChatModel, *, path: Path) -> None:
        self._model = model
        self._path = path
        self._lines: dict[str, dict[str, Any]] = {}

    @property
    def identity(self) -> str:
        """What answers, without any secret."""
        return self._model.identity

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask, and remember what came; raises what the other model raises."""
        key = request_key(request)
        line = {"key": key, "purpose": request.purpose, "request": request_as_data(request)}
        try:
            reply = await self._model.complete(request)
        except CallFailed as failure:
            told = {"kind": failure.kind, "message": failure.message, "attempts": failure.attempts}
            self._lines[key] = {**line, "failure": told}
            raise
        self._lines[key] = {**line, "reply": reply_as_data(reply)}
        return reply

    def save(self) -> None:
        """Write the recording, whole or not at all; raises StorageFailed."""
        first = {"schema": _SCHEMA, "identity": self.identity}
        lines = [first, *(self._lines[key] for key in sorted(self._lines))]
        write_atomic(self._path, "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines))


class ReplayChat:
    """Answers from a recording; raises BadInput for a file that is none, with every fault."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._identity, self._outcomes = _read(path)

    @property
    def identity(self) -> str:
        """What answered when it was recorded."""
        return self._identity

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer as it was recorded; raises CallFailed as recorded, and for what was never asked."""
        outcome = self._outcomes.get(request_key(request))
        match outcome:
            case ChatReply():
                return replace(outcome, cached=True, attempts=0, cost_usd=0.0)
            case CallFailed(kind=kind, message=message, attempts=attempts):
                raise CallFailed(kind, message, attempts=attempts)
            case _:
                purpose = f" ({request.purpose})" if request.purpose else ""
                raise CallFailed("bad_reply", f"{self._path} holds no reply to this request{purpose}", attempts=0)


def _read(path: Path) -> tuple[str, dict[str, ChatReply | CallFailed]]:
    lines = list(read_lines(path))
    faults: list[Fault] = []
    outcomes: dict[str, ChatReply | CallFailed] = {}
    identity = _identity(path, lines[:1])
    for number, text in lines[1:]:
        try:
            line = parse_json(text)
            key, outcome = _outcome(line)
        except (ValueError, KeyError, TypeError) as error:
            said = f"lacks {error}" if isinstance(error, KeyError) else str(error)
            faults.append(Fault(str(path), number, said))
            continue
        if key in outcomes:
            faults.append(Fault(str(path), number, "its request was recorded in a line before"))
        outcomes[key] = outcome
    if faults:
        raise BadInput(f"{path} is no recording that can be replayed:", faults)
    return identity, outcomes


def _identity(path: Path, first: Iterable[tuple[int, str]]) -> str:
    for number, text in first:
        try:
            head = parse_json(text)
        except ValueError as error:
            raise BadInput(f"{path}:{number}: {error}") from error
        if isinstance(head, dict) and head.get("schema") == _SCHEMA and isinstance(head.get("identity"), str):
            return str(head["identity"])
    raise BadInput(f"{path}:1: is no recording: its first line must name the schema {_SCHEMA!r} and an identity")


def _outcome(line: Any) -> tuple[str, ChatReply | CallFailed]:
    if not isinstance(line, dict) or not isinstance(line.get("request"), dict):
        raise TypeError("must be an object with a 'request'")
    key = line["key"]
    if hash_json(line["request"]) != key:
        raise ValueError("'key' is not the hash of 'request': the line was changed by hand")
    if "failure" not in line:
        return key, reply_from_data(line["reply"])
    failure = line["failure"]
    if failure["kind"] not in _KINDS:
        raise ValueError(f"'kind' must be one of {', '.join(sorted(_KINDS))}. Got {failure['kind']!r} instead")
    return key, CallFailed(failure["kind"], str(failure["message"]), attempts=int(failure["attempts"]))
