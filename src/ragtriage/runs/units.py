"""What is measured beside golden cases: documents, chunks, texts ..., each with fields to slice by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragtriage.core.score import Failed, Undefined
from ragtriage.data.corpus import Corpus

__all__ = ["Population", "Unit", "document_fields", "document_unit"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of a population; `document`: the one that it belongs to or is; `fields`: what it is sliced by.

    `members`: the documents of a group.
    """

    unit_id: str
    document: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Population:
    """The views of one type: one for each unit, or why there is none."""

    name: str
    units: tuple[Unit, ...]
    views: tuple[Any | Undefined | Failed, ...]


def document_fields(corpus: Corpus | None, name: str | None) -> dict[str, str]:
    """Return what a document of the corpus is sliced by; nothing where the corpus does not hold it."""
    document = corpus.documents.get(name) if corpus is not None and name is not None else None
    if document is None:
        return {}
    fields = {"language": document.language, "source_type": document.source_type}
    return {key: value for key, value in fields.items() if value is not None}


def document_unit(corpus: Corpus | None, name: str, classes: Mapping[str, str]) -> Unit:
    """Return a document as a unit, sliced by what the corpus says of it and by its class where it has one.

    >>> document_unit(None, "fees", {"fees": "scan"}).fields
    {'class': 'scan'}
    """
    fields, kind = document_fields(corpus, name), classes.get(name)
    return Unit(name, name, fields if kind is None else {**fields, "class": kind})
