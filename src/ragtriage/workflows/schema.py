"""The published JSON schemas of every file that goes in or comes out."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel

from ragtriage.core.configuration import Configuration
from ragtriage.core.errors import UnknownName
from ragtriage.core.records import Case, Chunk, Document, Trace
from ragtriage.core.results import Results
from ragtriage.core.verdicts import Verdicts
from ragtriage.data.index_changes import IndexChange
from ragtriage.data.index_findings import IndexFinding
from ragtriage.data.manifest import CorpusManifest, GoldenManifest

__all__ = ["schema_names", "schema_of", "schema_text"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MODELS: dict[str, tuple[type[BaseModel], Literal["validation", "serialization"]]] = {
    "case": (Case, "validation"),
    "chunk": (Chunk, "validation"),
    "configuration": (Configuration, "validation"),
    "corpus-manifest": (CorpusManifest, "validation"),
    "document": (Document, "validation"),
    "golden-manifest": (GoldenManifest, "validation"),
    "index-change": (IndexChange, "validation"),
    "index-finding": (IndexFinding, "validation"),
    "results": (Results, "serialization"),
    "trace": (Trace, "validation"),
    "verdicts": (Verdicts, "validation"),
}


def schema_names() -> tuple[str, ...]:
    """List the names of all schemas.

    >>> schema_names()[:2]
    ('case', 'chunk')
    """
    return tuple(_MODELS)


def schema_of(name: str) -> dict[str, Any]:
    """Return a JSON schema (draft 2020-12); raises UnknownName.

    Fields that depend on time or on the chance of scheduling are marked `x-time-dependent`.

    >>> schema_of("results")["properties"]["run_id"]["x-time-dependent"]
    True
    """
    if name not in _MODELS:
        raise UnknownName(name, known=_MODELS, what="schema")
    model, mode = _MODELS[name]
    return {"$schema": _DIALECT, **model.model_json_schema(by_alias=True, mode=mode)}


def schema_text(name: str) -> str:
    """Return a JSON schema as it is printed."""
    return json.dumps(schema_of(name), ensure_ascii=False, indent=2) + "\n"
