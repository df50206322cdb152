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
    """Return the results as JSON: fields in the order of the schema, free keys sorted, two spaces, one final LF.

    The fields of a slice keep the order in which the configuration names them.
    """
    return json.dumps(_ordered(report.results), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _ordered(value: Any) -> Any:
    if isinstance(value, BaseModel):
        fields = [(info.alias or name, getattr(value, name)) for name, info in type(value).model_fields.items()]
        return {name: dict(one) if name == "slice" else _ordered(one) for name, one in fields}
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value)}
    if isinstance(value, list | tuple):
        return [_ordered(one) for one in value]
    return value
