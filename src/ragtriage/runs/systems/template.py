"""Requests and replies of an HTTP endpoint as data: what goes into the body's template, what is read by JSONPath."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from ragtriage.core.errors import did_you_mean
from ragtriage.core.files import parse_json
from ragtriage.core.system import Question
from ragtriage.runs.asking import AskFailed

__all__ = ["body_of", "fill", "fill_url", "read_fields", "template_faults", "values_of"]

_PLACE = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_NAMES = ("question", "case_id", "principal.tenant", "principal.roles", "as_of", "language")
_LIST = re.compile(r"(?P<list>.+)\[\]\.(?P<field>[\w.]+)")
_RANKING = re.compile(r"rankings\.(?P<stage>[^\[\]]+)")


def values_of(question: Question) -> dict[str, Any]:
    """Return what each placeholder stands for."""
    values = (
        question.text,
        question.case_id,
        question.principal.tenant,
        list(question.principal.roles),
        question.as_of.isoformat() if question.as_of else None,
        question.language,
    )
    return dict(zip(_NAMES, values, strict=True))


def template_faults(value: Any) -> Iterator[str]:
    """Yield what is wrong with the placeholders of a template."""
    if isinstance(value, str):
        for name in _PLACE.findall(value):
            if name not in _NAMES:
                yield f"{{{{{name}}}}} is no placeholder.{did_you_mean(name, _NAMES)} Known: {', '.join(_NAMES)}"
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from template_faults(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from template_faults(inner)


def body_of(template: Any) -> Any:
    """Return a body as data; a text is JSON itself. Raises ValueError where it is none."""
    return parse_json(template) if isinstance(template, str) else template


def fill(template: Any, values: Mapping[str, Any]) -> Any:
    """Put values in place of placeholders inside the texts of a template.

    A text that is one placeholder alone becomes the value itself: null where there is none, a list for the roles.

    >>> fill({"q": "{{question}}", "t": "{{principal.tenant}}"}, {"question": 'a "b"', "principal.tenant": None})
    {'q': 'a "b"', 't': None}
    """
    if isinstance(template, str):
        alone = _PLACE.fullmatch(template)
        if alone is not None:
            return values[alone[1]]
        return _PLACE.sub(lambda found: _text(values[found[1]]), template)
    if isinstance(template, Mapping):
        return {key: fill(inner, values) for key, inner in template.items()}
    if isinstance(template, list | tuple):
        return [fill(inner, values) for inner in template]
    return template


def fill_url(url: str, values: Mapping[str, Any]) -> str:
    """Put values into a URL, percent-encoded, so that no value changes host, path or number of parameters."""
    return _PLACE.sub(lambda found: quote(_text(values[found[1]]), safe=""), url)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return ",".join(value) if isinstance(value, list) else str(value)


def read_fields(document: Any, fields: Mapping[str, str]) -> dict[str, Any]:
    """Read the fields of a trace from a reply by JSONPath.

    `answer.text = "$.result"` reads one value; `context = "$.hits"` a list of our own records;
    `context[].text = "$.hits[*].body"` one field of each record of a list; `rankings.dense[].id` the same for the
    hits of a ranking. A path that finds nothing leaves its field out, but the answer's must be there. Raises AskFailed.
    """
    found: dict[str, Any] = {}
    lists: dict[str, dict[str, list[Any]]] = {}
    for target, path in fields.items():
        matches = _findall(path, document)
        inside = _LIST.fullmatch(target)
        if inside is not None:
            lists.setdefault(inside["list"], {})[inside["field"]] = matches
        elif matches:
            _place(found, target, _one(matches, target, path))
        elif target in {"answer", "answer.text"}:
            raise AskFailed("InvalidReply", f"the reply has nothing at {path}, where {target!r} is read from")
    for target, columns in lists.items():
        _place(found, target, _records(target, columns))
    return found


def _findall(path: str, document: Any) -> list[Any]:
    import jsonpath  # noqa: PLC0415 - an extra

    return list(jsonpath.findall(path, document))


def _one(matches: list[Any], target: str, path: str) -> Any:
    if len(matches) > 1:
        raise AskFailed("InvalidReply", f"{path} finds {len(matches)} values for {target!r}, which takes one")
    return matches[0]


def _records(target: str, columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    lengths = {field: len(values) for field, values in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{field}: {length}" for field, length in lengths.items())
        raise AskFailed("InvalidReply", f"the fields of {target!r} were found a different number of times ({shown})")
    rows: list[dict[str, Any]] = []
    for values in zip(*columns.values(), strict=True):
        row: dict[str, Any] = {}
        for field, value in zip(columns, values, strict=True):
            _place(row, field, value)
        rows.append(row)
    return rows


def _place(record: dict[str, Any], target: str, value: Any) -> None:
    ranking = _RANKING.fullmatch(target)
    if ranking is not None:
        record.setdefault("rankings", []).append({"stage": ranking["stage"], "hits": value})
        return
    *path, last = target.split(".")
    for name in path:
        record = record.setdefault(name, {})
    record[last] = value
