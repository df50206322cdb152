"""The port to a system under test: a question goes in, a reply or a failure of this one case comes out."""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ragtriage.core.files import validate_record
from ragtriage.core.identity import hash_json
from ragtriage.core.records import Chunk, Timing, Trace, TraceError
from ragtriage.core.system import Override, Question

__all__ = ["LONGEST_ANSWER", "TOTAL", "AskFailed", "Reply", "System", "failed_trace", "place_of", "read_reply"]

TOTAL = "total"
LONGEST_ANSWER = 200_000
_MAX_MESSAGE = 2000


@dataclass(frozen=True, slots=True)
class Reply:
    """What a system said: a text, a dictionary with Trace's field names, or a Trace; and how long it took."""

    value: object
    duration_ms: float
    first_token_ms: float | None = None


class AskFailed(Exception):
    """One question was not answered. `unreachable`: the system was not even reached."""

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        stage: str = "system",
        timed_out: bool = False,
        unreachable: bool = False,
        duration_ms: float | None = None,
    ) -> None:
        self.kind = kind
        self.message = message[:_MAX_MESSAGE]
        self.stage = stage
        self.timed_out = timed_out
        self.unreachable = unreachable
        self.duration_ms = duration_ms
        super().__init__(f"{kind}: {self.message}")


class System(Protocol):
    """What the engine asks. `takes_override`: whether probes can change single stages of it."""

    takes_override: bool

    async def ask(self, question: Question, *, override: Override | None = None) -> Reply:
        """Ask one question within the system's own deadline; raises AskFailed, or whatever the system raises."""
        ...

    def chunks(self) -> tuple[Chunk, ...] | None:
        """Return the chunks that the system indexed, or None where it does not tell."""
        ...

    async def close(self) -> None:
        """Let go of connections and threads."""
        ...


def trace_id(case_id: str, repeat: int) -> str:
    """Name the trace of a system that names none, the same in every run."""
    return hash_json([case_id, repeat])[:32]


def read_reply(reply: Reply, question: Question, *, repeat: int, asked_at: datetime) -> Trace:
    """Turn a reply into the trace of its question; raises AskFailed in the words of the validation.

    A text is the answer. A dictionary may leave out ids and the question, and give the answer as a text. Fields that
    the system left out and that we know ourselves (when it was asked, how long it took) are filled in.
    """
    value = reply.value
    if isinstance(value, Trace):
        try:
            fields = value.model_dump(mode="json", by_alias=True, warnings=False)  # what is wrong is said below
        except ValueError as error:
            raise _invalid(str(error), reply) from error
    elif isinstance(value, str):
        fields = {"answer": {"text": value}}
    elif isinstance(value, dict):
        fields = dict(value)
        if isinstance(fields.get("answer"), str):
            fields["answer"] = {"text": fields["answer"]}
    else:
        came = type(value).__name__
        raise _invalid(f"the reply must be a str, a dict with the fields of a trace, or a Trace. Got {came}", reply)
    text = fields["answer"].get("text") if isinstance(fields.get("answer"), dict) else None
    if isinstance(text, str) and len(text) > LONGEST_ANSWER:
        raise _invalid(f"the answer has {len(text):,} characters; at most {LONGEST_ANSWER:,} are read", reply)
    for name, ours in (("case_id", question.case_id), ("question", question.text)):
        if fields.get(name) not in (None, ours):
            raise _invalid(f"the reply belongs to another question: its {name!r} is {fields[name]!r:.200}", reply)
        fields[name] = ours
    if fields.get("trace_id") is None:
        fields["trace_id"] = trace_id(question.case_id, repeat)
    for name, known in (
        ("asked_at", asked_at.isoformat()),
        ("principal", question.principal.model_dump(mode="json")),
        ("first_token_ms", reply.first_token_ms),
    ):
        if fields.get(name) is None:
            fields[name] = known
    fields["timings"] = _with_total(fields.get("timings"), reply)
    try:
        trace, problems = validate_record(Trace, fields)
    except (RecursionError, UnicodeError) as error:
        raise _invalid(str(error), reply) from error
    if trace is None:
        raise _invalid("; ".join(problems), reply)
    return trace


def _invalid(message: str, reply: Reply) -> AskFailed:
    return AskFailed("InvalidReply", message, duration_ms=reply.duration_ms)


def _with_total(timings: object, reply: Reply) -> object:
    """Add our own measurement of the whole call, unless the system gave one."""
    known = [] if timings is None else timings
    if not isinstance(known, list | tuple):
        return timings
    if any(isinstance(t, dict) and t.get("stage") == TOTAL for t in known):
        return list(known)
    return [*known, {"stage": TOTAL, "start_ms": 0.0, "duration_ms": max(0.0, reply.duration_ms)}]


def failed_trace(question: Question, failure: AskFailed, *, repeat: int, asked_at: datetime) -> Trace:
    """Return the trace of a question that was not answered: it holds the error and how long we waited."""
    took = failure.duration_ms
    return Trace(
        trace_id=trace_id(question.case_id, repeat),
        case_id=question.case_id,
        question=question.text,
        asked_at=asked_at,
        principal=question.principal,
        timings=None if took is None else (Timing(stage=TOTAL, start_ms=0.0, duration_ms=max(0.0, took)),),
        error=TraceError(
            stage=failure.stage,
            type=failure.kind,
            message=_printable(failure.message),
            timed_out=failure.timed_out,
        ),
    )


def place_of(error: BaseException) -> str:
    """Say where an exception arose, as ` (pipeline.py:42)`, or nothing where that is unknown."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""  # noqa: PTH119 - a name, no path


def _printable(text: str) -> str:
    """Write lone surrogates as escapes, so that the message can be stored."""
    return text.encode("utf-8", "backslashreplace").decode()
