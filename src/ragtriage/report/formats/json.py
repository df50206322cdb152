"""JSON: `results.json`, the results alone, byte-identical between equal runs."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from ragtriage.core.declare import report_format
from ragtriage.report.model import Report

__all__ = ["json_results"]


@report_format(suffix=".json", title="JSON (ragtriage.results/1)")
def json_results(report: Report) -> str:
    """Return the results as JSON: fields in the order of the schema, free keys sorted, a line for each row and case.

    The fields of a slice keep the order in which the configuration names them. The file ends in one LF.
    """
    fields = (f'  "{name}": {_lines(value)}' for name, value in _ordered(report.results).items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _lines(value: Any) -> str:
    """Write a field: each item of a list on a line of its own."""
    if not isinstance(value, list) or not value:
        return _written(value)
    return "[\n" + ",\n".join(f"    {_written(item)}" for item in value) + "\n  ]"


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _ordered(value: Any) -> Any:
    if isinstance(value, BaseModel):
        fields = [(info.alias or name, getattr(value, name)) for name, info in type(value).model_fields.items()]
        return {name: dict(one) if name == "slice" else _ordered(one) for name, one in fields}
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value)}
    if isinstance(value, list | tuple):
        return [_ordered(one) for one in value]
    return value
