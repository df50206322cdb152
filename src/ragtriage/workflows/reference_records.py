"""Records as tables of the reference: every field with its type, its default and what is said of it."""

from __future__ import annotations

import html
import inspect
import json
import re
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal

import annotated_types
from pydantic import BaseModel
from pydantic.fields import FieldInfo

__all__ = ["cell", "code_cell", "prose", "record_text", "records_in", "records_within", "table"]

_WORDS = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    date: "date",
    datetime: "date and time",
    type(None): "none",
    Any: "any JSON value",
}
_CODE = re.compile(r"(`[^`]*`)")
_SIGNS = (("ge", "≥"), ("gt", ">"), ("le", "≤"), ("lt", "<"))


def prose(text: str) -> str:
    r"""Write a docstring as Markdown that shows its words as they stand; code in backticks stays code.

    >>> prose("grades [n, k] of a*b <= `x*y`")
    'grades \\[n, k] of a\\*b &lt;= `x*y`'
    """
    return "".join(part if code else _plain(part) for part, code in _parts(inspect.cleandoc(text)))


def cell(text: str) -> str:
    r"""Write a text for a cell of a table, on one line.

    >>> cell("a | b\nc `d | e`")
    'a \\| b c <code>d &#124; e</code>'
    """
    return "".join(
        code_cell(part[1:-1]) if code else _plain(part).replace("|", "\\|")
        for part, code in _parts(" ".join(text.split()))
    )


def code_cell(text: str) -> str:
    """Write code for a cell of a table, where a bar would end the cell.

    >>> code_cell("[a|b]")
    '<code>[a&#124;b]</code>'
    """
    return f"<code>{html.escape(text).replace('|', '&#124;')}</code>" if "|" in text else f"`{text}`"


def record_text(
    model: type[BaseModel], *, heading: str, linked: Mapping[str, str], marks: Mapping[str, str] | None = None
) -> str:
    """Draw one record: what it is, then a row for each field.

    `linked`: where the description of another record stands, by its name. `marks`: a note for a field, by its name.
    """
    marks = marks or {}
    described = any(field.description for field in model.model_fields.values())
    heads = ["field", "type", "default", *(["what it decides"] if described else []), *(["note"] if marks else [])]
    rows = []
    for name, field in model.model_fields.items():
        kind = _type(field.annotation, field.metadata, linked)
        if not field.is_required() and field.default is None:
            kind = kind.removesuffix(" or none")  # as the default says already
        row = [f"`{field.alias or name}`", kind, _default(field)]
        row += [cell(field.description or "")] if described else []
        rows.append(row + ([cell(marks.get(name, ""))] if marks else []))
    return f"{heading}\n\n{prose(model.__doc__ or '')}\n\n{table(heads, rows)}"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Draw a table of cells that are Markdown already."""
    named = list(heads)
    lines = [named, ["---"] * len(named), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def records_within(models: Iterable[type[BaseModel]]) -> list[type[BaseModel]]:
    """Return the records and all that their fields hold, each once, in the order in which they are met."""
    found: list[type[BaseModel]] = []
    waiting = list(models)
    while waiting:
        model = waiting.pop(0)
        if model in found:
            continue
        found.append(model)
        inner = [record for field in model.model_fields.values() for record in records_in(field.annotation)]
        waiting = [*inner, *waiting]
    return found


def records_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the records that a type names."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [record for argument in typing.get_args(annotation) for record in records_in(argument)]


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text and whether each is code in backticks."""
    return ((part, bool(place % 2)) for place, part in enumerate(_CODE.split(text)))


def _plain(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[")


def _type(annotation: Any, metadata: Iterable[Any], linked: Mapping[str, str]) -> str:
    """Say in words what a field takes, with its limits."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _type(arguments[0], [*arguments[1:], *metadata], linked)
    limits = _limits(metadata)
    return f"{_named(annotation, origin, arguments, linked)}{f', {limits}' if limits else ''}"


def _named(annotation: Any, origin: Any, arguments: tuple[Any, ...], linked: Mapping[str, str]) -> str:
    if origin is Literal:
        return ", ".join(f"`{choice}`" for choice in arguments)
    if origin in {typing.Union, types.UnionType}:
        return " or ".join(_type(argument, (), linked) for argument in arguments)
    if origin is tuple and arguments[-1] is Ellipsis:
        return f"list of {_type(arguments[0], (), linked)}"
    if origin is tuple:
        return "pair of numbers" if arguments == (float, float) else f"{len(arguments)} values"
    if origin is dict:
        return f"table of {_type(arguments[1], (), linked)}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        place = linked.get(annotation.__name__)
        return f"[{annotation.__name__}]({place})" if place else annotation.__name__
    return _WORDS.get(annotation, "any JSON value")


def _limits(metadata: Iterable[Any]) -> str:
    told = []
    for fact in metadata:
        facts = fact.metadata if isinstance(fact, FieldInfo) else [fact]
        for one in facts:
            told += [f"{sign} {getattr(one, name):g}" for name, sign in _SIGNS if getattr(one, name, None) is not None]
            if isinstance(one, annotated_types.MinLen):
                told.append(f"at least {one.min_length}")
            if isinstance(one, annotated_types.MaxLen):
                told.append(f"at most {one.max_length} characters")
            if getattr(one, "pattern", None):
                told.append("64 hexadecimal digits" if "64" in str(one.pattern) else f"matches `{one.pattern}`")
    return ", ".join(told).replace("<", "&lt;")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, BaseModel):
        return "its defaults"
    return "none" if value is None else f"`{json.dumps(value, ensure_ascii=False)}`"
