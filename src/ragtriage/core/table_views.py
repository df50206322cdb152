"""What a metric of table extraction may see: the tables of a document, and those that an extractor found in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = ["TablesView"]


@dataclass(frozen=True, slots=True)
class TablesView:
    """The tables of one document, each as HTML: a `<table>` with or without a page around it.

    `extracted` None: the document was not extracted, or to a form that cannot hold a table (plain text); an empty tuple
    says that the extractor could have given tables and found none.
    """

    population: ClassVar[str] = "documents"
    reference: tuple[str, ...]
    extracted: tuple[str, ...] | None
