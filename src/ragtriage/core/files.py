"""The one module that reads outside files, strictly, and writes ours, atomically.

JSON is read without NaN, duplicate keys or deep nesting; a file of records reports all its faults at once with line
numbers. JSON Lines are split at line feeds alone (U+2028 inside a string is text). Nothing is ever repaired.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ragtriage.core.errors import BadInput, Fault, StorageFailed, did_you_mean

__all__ = [
    "parse_json",
    "read_blocks",
    "read_bytes",
    "read_json",
    "read_lines",
    "read_records",
    "read_text",
    "read_toml",
    "validate_record",
    "write_atomic",
    "write_records",
]

M = TypeVar("M", bound=BaseModel)

MAX_LINE_BYTES = 64 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024
MAX_FILE_BYTES = 4 * 1024 * 1024 * 1024
MAX_DEPTH = 64
_MAX_DIGITS = 4300  # beyond it Python itself refuses, in words about Python
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_MAX_FAULTS_SHOWN = 1000


def read_bytes(path: Path, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Read a whole file; raises BadInput where it is missing, no file, or larger than `max_bytes`."""
    try:
        if path.stat().st_size > max_bytes:
            raise BadInput(f"{path}: is larger than {max_bytes:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error


def read_text(path: Path, *, max_bytes: int = MAX_FILE_BYTES) -> str:
    """Read a UTF-8 text (a byte order mark is dropped); raises BadInput with the line of the first broken byte."""
    content = read_bytes(path, max_bytes=max_bytes)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path}:{line}: is not UTF-8 (byte {content[error.start]:#04x})") from error


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number, text) of the non-blank lines, streamed; lines end at LF, a CR before it is dropped."""
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(iter(lambda: stream.readline(MAX_LINE_BYTES + 1), b""), start=1):
                if len(raw) > MAX_LINE_BYTES:
                    raise BadInput(f"{path}:{number}: the line is longer than {MAX_LINE_BYTES:,} bytes")
                body = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
                body = body.removesuffix(b"\n").removesuffix(b"\r")
                if not body.strip():
                    continue
                try:
                    yield number, body.decode("utf-8")
                except UnicodeDecodeError as error:
                    raise BadInput(f"{path}:{number}: is not UTF-8 (byte {body[error.start]:#04x})") from error
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error


def read_blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (number of the first line, whole lines as UTF-8 without the last LF), for tables of many rows; streamed.

    Blank lines are included. Raises BadInput for a file that cannot be read, is not UTF-8 or has an endless line.
    """
    number, rest = 1, b""
    try:
        with path.open("rb") as stream:
            while piece := stream.read(BLOCK_BYTES):
                block, ended, rest = (rest + piece).rpartition(b"\n")
                if len(rest) > MAX_LINE_BYTES:
                    line = number + block.count(b"\n") + len(ended)
                    raise BadInput(f"{path}:{line}: the line is longer than {MAX_LINE_BYTES:,} bytes")
                if ended:
                    yield number, _utf8(path, number, block)
                    number += block.count(b"\n") + 1
            if rest:
                yield number, _utf8(path, number, rest)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error


def _utf8(path: Path, number: int, block: bytes) -> bytes:
    try:
        block.decode("utf-8")
    except UnicodeDecodeError as error:
        line = number + block.count(b"\n", 0, error.start)
        raise BadInput(f"{path}:{line}: is not UTF-8 (byte {block[error.start]:#04x})") from error
    return block.removeprefix(b"\xef\xbb\xbf") if number == 1 else block


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"the key {twice[0]!r} stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"the number {_short(digits)} is too large")
    return value


def _whole(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"the number {digits[:10]}... has {len(digits):,} digits")
    return int(digits)


def _no_half_characters(text: str, value: Any) -> None:
    """Refuse an escaped surrogate without its other half: no file and no database can hold it."""
    if _HALF.search(text) is None:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"\\u{ord(error.object[error.start]):04x} is half a character") from error


def _depth(text: str) -> int:
    """Return how deep brackets nest, outside strings."""
    depth = deepest = 0
    inside = escaped = False
    for char in text:
        if inside:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                inside = False
        elif char == '"':
            inside = True
        elif char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


_STRICT = json.JSONDecoder(
    object_pairs_hook=_no_duplicates, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole
)


def parse_json(text: str) -> Any:
    """Parse strict JSON: no NaN, no number past a double, no duplicate keys, at most 64 levels; raises ValueError.

    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    ValueError: the key 'a' stands twice in one object
    """
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise ValueError(f"is nested deeper than {MAX_DEPTH} levels")
    try:
        value = _STRICT.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} at column {error.colno}") from error
    _no_half_characters(text, value)
    return value


def read_json(path: Path) -> Any:
    """Read one strict JSON document; raises BadInput."""
    try:
        return parse_json(read_text(path))
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; raises BadInput with the line."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: {error}") from error


def validate_record(model: type[M], value: Any) -> tuple[M | None, list[str]]:
    """Validate plain data against a record; returns the record, or every fault in words with near names.

    Dates and tuples may come as JSON has them (strings, arrays); numbers are never read from strings.
    """
    try:
        return model.model_validate_json(json.dumps(value, ensure_ascii=False)), []
    except ValidationError as error:
        return None, [_explain(model, dict(e)) for e in error.errors(include_url=False)]
    except (ValueError, TypeError) as error:
        return None, [str(error)]


def _explain(model: type[BaseModel], error: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        hint = did_you_mean(str(error["loc"][-1]), _names_at(model, error["loc"][:-1]))
        return f"{where!r} is no known field.{hint}"
    if error["type"] == "missing":
        return f"{where!r} is missing"
    message = str(error["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    got = error.get("input")
    shown = "" if isinstance(got, dict | list) or " instead" in message else f". Got {_short(got)} instead"
    return f"{where!r} {message}{shown}" if where else f"{message}{shown}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."  # noqa: PLR2004 - one terminal line


def _names_at(model: type[BaseModel], path: tuple[Any, ...]) -> list[str]:
    """Return the field names that are known at a place of a record, following nested records."""
    current: Any = model
    for part in path:
        if isinstance(part, int):
            continue
        field = getattr(current, "model_fields", {}).get(part)
        current = _record_in(field.annotation) if field else None
    return list(getattr(current, "model_fields", {}))


def _record_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_record_in(part) for part in getattr(annotation, "__args__", ()))
    return next((found for found in inner if found is not None), None)


def read_records(
    path: Path,
    model: type[M],
    *,
    key: str | None = None,
    prepare: Callable[[Any], Any] | None = None,
    faults: list[Fault] | None = None,
) -> list[M]:
    """Read a JSON Lines file of records, all of its faults at once.

    `key`: the field that must be there and be unique; ids that differ only in surrounding white space or Unicode form
    count as the same, because they look the same. `prepare` maps the plain data before validation (e.g. a grade map).
    Raises BadInput with every fault; where a list `faults` is given, adds to it instead and returns the good records.
    """
    found: list[M] = []
    collected: list[Fault] = []
    seen: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for line, text in read_lines(path):
        try:
            value = parse_json(text)
            if not isinstance(value, dict):
                raise ValueError(f"must be one JSON object. Got {_short(value)} instead")
            if key is not None and isinstance(value.get(key), str):
                seen[unicodedata.normalize("NFC", value[key].strip())].append((line, value[key]))
            record, problems = validate_record(model, prepare(value) if prepare else value)
        except ValueError as error:
            collected.append(Fault(str(path), line, str(error)))
            continue
        collected.extend(Fault(str(path), line, problem) for problem in problems)
        if record is not None:
            found.append(record)
    for name, places in seen.items():
        if len(places) > 1:
            lines = ", ".join(str(line) for line, _ in places)
            text = f"{key!r} {name!r} stands in lines {lines}; it must be unique"
            collected.append(Fault(str(path), places[1][0], text))
    if faults is not None:
        faults.extend(collected)
    elif collected:
        count = f"{len(collected)} fault{'s' if len(collected) > 1 else ''}"
        raise BadInput(f"{path} has {count}:", sorted(collected)[:_MAX_FAULTS_SHOWN])
    return found


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all: a temporary file beside it, synced, renamed; raises StorageFailed."""
    data = content.encode() if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        with contextlib.suppress(OSError):  # what kept the file from being written may keep this from being cleared
            temporary.unlink(missing_ok=True)
        raise StorageFailed(f"{path}: cannot be written: {error.strerror or error}") from error


def write_records(path: Path, records: list[M]) -> None:
    """Write JSON Lines atomically, leaving out what is at its default."""
    lines = [record.model_dump_json(exclude_defaults=True, by_alias=True) for record in records]
    write_atomic(path, "".join(f"{line}\n" for line in lines))
