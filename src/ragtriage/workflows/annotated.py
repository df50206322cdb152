"""`ragtriage.toml` with every key explained: the words are those that the configuration's records say of themselves."""

from __future__ import annotations

import json
import re
import textwrap
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ragtriage.core.configuration import Configuration, GateRule

__all__ = ["annotated", "toml_value"]

_WIDTH: Final = 116
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SCHEMA = "#:schema ./.ragtriage/ragtriage.schema.json"


def annotated(values: Mapping[str, Any], *, heading: Sequence[str], remarks: Mapping[str, str]) -> str:
    """Return a configuration file that sets `values` and explains every key, those left out as comments.

    `heading`: what stands first. `remarks`: by key (`system.factors.mode`, `gate.0`) what to say of a value that no
    record describes.
    """
    blocks = ["\n".join([_SCHEMA, *(line for text in heading for line in _comment(text))])]
    for name, field in Configuration.model_fields.items():
        if name == "gate":
            blocks.extend(_rules(values.get("gate", []), remarks))
        else:
            blocks.extend(_table(name, _record(field), values.get(name), remarks))
    return "\n\n".join(blocks) + "\n"


def _table(
    path: str,
    model: type[BaseModel],
    values: Mapping[str, Any] | None,
    remarks: Mapping[str, str],
    *,
    told_of: Sequence[str] = (),
) -> list[str]:
    """Return the block of one table and those of the tables within it; `told_of`: what stands over it."""
    absent = values is None and any(field.is_required() for field in model.model_fields.values())
    lines = [*(told_of or _comment(_first_words(model))), f"# [{path}]" if absent else f"[{path}]"]
    inner: list[str] = []
    for name, field in model.model_fields.items():
        given = None if values is None else values.get(name)
        told = _comment(_said(field))
        if _record(field) is not BaseModel and (given is None or isinstance(given, Mapping)):
            inner += _table(f"{path}.{name}", _record(field), given, remarks, told_of=told)
        elif given is None:
            lines += [*told, f"# {name} = {_example(field)}"]
        elif isinstance(given, Mapping):
            inner.append("\n".join([*told, f"[{path}.{name}]", *_pairs(f"{path}.{name}", given, remarks)]))
        else:
            lines += [*told, f"{name} = {toml_value(given)}"]
    return ["\n".join(lines), *inner]


def _pairs(path: str, values: Mapping[str, Any], remarks: Mapping[str, str]) -> Iterator[str]:
    for name, value in values.items():
        if f"{path}.{name}" in remarks:
            yield from _comment(remarks[f"{path}.{name}"])
        yield f"{_key(name)} = {toml_value(value)}"


def _rules(rules: Sequence[Mapping[str, Any]], remarks: Mapping[str, str]) -> Iterator[str]:
    """Yield what a gate rule is made of, then each rule; without any an example as a comment."""
    told = ["The gate: may this ship? Each rule is a table of its own, with these keys:"]
    width = max(map(len, GateRule.model_fields))
    told += [f"  {name:<{width}}  {_said(field)}" for name, field in GateRule.model_fields.items()]
    if not rules:
        told += ["Measure once, look at the numbers, then demand what must not get worse:"]
        told += ["[[gate]]", 'metric = "retrieval.recall@4"', "min = 0.8"]
    yield "\n".join(f"# {line}" for line in told)
    for place, rule in enumerate(rules):
        remark = remarks.get(f"gate.{place}")
        lines = [] if remark is None else _comment(remark)
        yield "\n".join([*lines, "[[gate]]", *(f"{_key(name)} = {toml_value(value)}" for name, value in rule.items())])


def _record(field: FieldInfo) -> type[BaseModel]:
    """Return the record that a field holds, BaseModel itself where it holds none."""
    choices = (field.annotation, *typing.get_args(field.annotation))
    return next((kind for kind in choices if isinstance(kind, type) and issubclass(kind, BaseModel)), BaseModel)


def _said(field: FieldInfo) -> str:
    """Return what a key says of itself; what Python calls None is a key that is left out."""
    return (field.description or "").replace("None:", "left out:")


def _first_words(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split("\n\n")[0].split())


def _example(field: FieldInfo) -> str:
    """Return the value of a key that is left out, dots where it has none."""
    default = None if field.is_required() else field.get_default(call_default_factory=True, validated_data={})
    return "..." if default is None else toml_value(default)


def _comment(text: str) -> list[str]:
    indent = "  " if text.startswith("- ") else ""
    return [f"# {line}" if line else "#" for line in textwrap.wrap(text, _WIDTH, subsequent_indent=indent) or [""]]


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else toml_value(name)


def toml_value(value: Any) -> str:
    """Write a value on one line.

    >>> toml_value({"a b": [1, True, "x"]})
    '{"a b" = [1, true, "x"]}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {toml_value(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(inner) for inner in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value) if isinstance(value, bool | int | float) else toml_value(str(value))
