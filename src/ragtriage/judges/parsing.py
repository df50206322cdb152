"""Read a judge's reply strictly: one object of the schema or a failure, never a guess and never a repair.

Reasoning before the last `</think>` that stands outside a JSON string is removed. What is left is one object of the
schema, bare or in a fenced block with prose around it. Two such objects that disagree are a failure; two equal ones
say the same thing twice.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import regex
from pydantic import BaseModel, ValidationError

from ragtriage.core.files import parse_json

__all__ = ["ReplyRejected", "check_ids", "find_quote", "read_data", "read_label", "read_object", "without_reasoning"]

M = TypeVar("M", bound=BaseModel)

MAX_REPLY = 262_144
_MAX_WORK = 20_000_000  # characters looked at in search of objects; more is no reply but an attack
_RECURSION_WORK = 10_000
_END_OF_REASONING = regex.compile(r"</think(?:ing)?>", regex.IGNORECASE)
_FENCE = regex.compile(r"^[ \t]*```[ \t]*[\w+-]*[ \t]*\r?\n(?P<body>.*?)\r?\n?^[ \t]*```[ \t]*\r?$", regex.M | regex.S)
_NAMED = regex.compile(r"(?:\w+)\s*[:=]\s*")
_DECODER = json.JSONDecoder()
_LEAST_QUOTE = 2


class ReplyRejected(ValueError):
    """A reply that is no verdict; `kind` says in one word why, for counting."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        self.message = message
        super().__init__(message)


def _objects(text: str) -> Iterator[tuple[int, int]]:
    """Yield [start, end) of every JSON object that stands in the text and in no other object."""
    place, work = 0, 0
    while (place := text.find("{", place)) >= 0:
        try:
            _, end = _DECODER.raw_decode(text, place)
        except json.JSONDecodeError as error:
            work += error.pos - place + 1
            place += 1
        except (RecursionError, ValueError):  # nested too deep, or a number of too many digits
            work += _RECURSION_WORK
            place += 1
        else:
            yield place, end
            place = end
        if work > _MAX_WORK:
            raise ReplyRejected("tangled", "the reply holds too many broken objects to be read")


def without_reasoning(text: str) -> str:
    r"""Return what follows the last end of reasoning that is not inside a JSON string.

    >>> without_reasoning('<think>maybe {"verdict": 1}</think>{"verdict": 0, "reason": "says </think>"}')
    '{"verdict": 0, "reason": "says </think>"}'
    """
    ends = list(_END_OF_REASONING.finditer(text))
    if not ends:
        return text
    taken = list(_objects(text))
    outside = [e for e in ends if not any(start < e.start() < end for start, end in taken)]
    return text[outside[-1].end() :] if outside else text


def _explain(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where!r}: {first['msg']}" if where else str(first["msg"])


def _validated(text: str, schema: type[M]) -> tuple[M, dict[str, Any]]:
    """Return the object of a piece of strict JSON, and as plain data; raises ValueError."""
    value = parse_json(text)
    if not isinstance(value, dict):
        raise ValueError("is no JSON object")
    try:
        return schema.model_validate_json(text), value
    except ValidationError as error:
        raise ValueError(_explain(error)) from error


def read_object(text: str, schema: type[M], *, finish_reason: str = "stop") -> M:
    """Return the one object of the schema that a reply holds.

    Raises ReplyRejected: the reply did not finish, is empty or too long, holds no object of the schema, objects that
    disagree, or anything around the object that is neither a fence nor, around that, prose.
    """
    return _read(text, schema, finish_reason)[0]


def read_data(text: str, schema: type[BaseModel], *, finish_reason: str = "stop") -> dict[str, Any]:
    """Return what `read_object` reads as plain data: the JSON itself, for a schema that fills nothing in."""
    return _read(text, schema, finish_reason)[1]


def _read(text: str, schema: type[M], finish_reason: str) -> tuple[M, dict[str, Any]]:
    if finish_reason != "stop":
        raise ReplyRejected("unfinished", f"the reply did not finish: finish_reason={finish_reason!r}")
    if len(text) > MAX_REPLY:
        raise ReplyRejected("too_long", f"the reply is longer than {MAX_REPLY:,} characters")
    bare = text.strip()
    if bare.startswith("{") and bare.endswith("}"):
        with suppress(ValueError, RecursionError):  # whatever is no single object is looked at in full below
            return _validated(bare, schema)
    body = without_reasoning(text.removeprefix("\ufeff")).strip().removeprefix("\ufeff").strip()
    if not body:
        raise ReplyRejected("empty", "the reply is empty")
    found: list[tuple[int, int, M, dict[str, Any]]] = []
    why = "it holds no JSON object"
    for start, end in _objects(body):
        try:
            found.append((start, end, *_validated(body[start:end], schema)))
        except ValueError as error:
            why = str(error)
    if not found:
        raise ReplyRejected("invalid", f"the reply is no object of the schema: {why}")
    if any(one != found[0][2] for _, _, one, _ in found[1:]):
        raise ReplyRejected("ambiguous", "the reply holds two objects of the schema that disagree")
    if not _stands_alone(body, [(start, end) for start, end, _, _ in found]):
        raise ReplyRejected("surrounded", "something stands around the object: it must be bare or in one fenced block")
    return found[0][2:]


def _stands_alone(body: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Say whether the objects are all there is, or one of them is all that a fenced block holds."""
    rest, place = [], 0
    for start, end in spans:
        rest.append(body[place:start])
        place = end
    rest.append(body[place:])
    if not "".join(rest).strip():
        return True
    whole = {body[start:end] for start, end in spans}
    return any(fence["body"].strip() in whole for fence in _FENCE.finditer(body))


def check_ids(found: Sequence[str], wanted: Collection[str], *, what: str = "claim") -> None:
    """Hold the ids of a reply against those that were asked for: each exactly once; raises ReplyRejected.

    >>> check_ids(["c1"], ["c1", "c2"])
    Traceback (most recent call last):
    ...
    ragtriage.judges.parsing.ReplyRejected: of 2 claims 1 was not answered
    """
    unknown = [i for i in found if i not in wanted]
    if unknown:
        raise ReplyRejected("wrong_ids", f"the {what} {unknown[0]!r:.40} was never asked for")
    if len(set(found)) != len(found):
        raise ReplyRejected("wrong_ids", f"a {what} was answered twice")
    missing = len(set(wanted)) - len(found)
    if missing:
        verb = "was" if missing == 1 else "were"
        raise ReplyRejected("wrong_ids", f"of {len(set(wanted))} {what}s {missing} {verb} not answered")


def find_quote(quote: str, source: str) -> tuple[int, int]:
    """Return where a quote stands in its source, white space taken as equal; raises ReplyRejected where it does not.

    >>> find_quote("two  moons", "Mars has two moons.")
    (9, 18)
    """
    words = quote.split()
    if sum(map(len, words)) < _LEAST_QUOTE:
        raise ReplyRejected("bad_quote", "a quote is empty")
    place = source.find(quote)
    if place >= 0:
        return place, place + len(quote)
    found = regex.search(r"\s+".join(map(regex.escape, words)), source)
    if found is None:
        raise ReplyRejected("bad_quote", f"a quote does not stand in its source: {quote!r:.80}")
    return int(found.start()), int(found.end())


def read_label(text: str, labels: Collection[str]) -> str:
    """Return the label that a plain text says: the label itself, in any case, alone or before an explanation.

    An explanation may name another label only where the label is named as such (`verdict = irrelevant, because ...`).
    Raises ReplyRejected for everything else: `not relevant` is not `relevant`.

    >>> read_label("Irrelevant.", ["relevant", "irrelevant"])
    'irrelevant'
    >>> read_label("not relevant", ["relevant", "irrelevant"])
    Traceback (most recent call last):
    ...
    ragtriage.judges.parsing.ReplyRejected: 'not relevant' is none of irrelevant, relevant
    """
    body = text.strip().strip("\"'`*").casefold()
    named = _NAMED.match(body)
    rest = body[named.end() :] if named else body
    for label in labels:
        tail = rest.removeprefix(label.casefold())
        if tail == rest or (tail and tail[0] not in ".,;:!\"'`* \n"):
            continue
        if not tail.strip(".!\"'`* \n"):
            return label
        others = [o for o in labels if o != label and regex.search(rf"\b{regex.escape(o.casefold())}\b", tail)]
        if tail.lstrip("\"'`*")[0] in ".,;:!\n" and (named or not others):
            return label
    raise ReplyRejected("unknown_label", f"{text.strip()!r:.80} is none of {', '.join(sorted(labels))}")
