"""A document as it was read from plain text, Markdown or HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragtriage.core.extraction_views import Heading

__all__ = ["ExtractedDocument", "ExtractedForm"]

ExtractedForm = Literal["text", "markdown", "html"]


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """One document: its text, and what stands in it in reading order.

    `blocks`: paragraphs, headings, list items, tables and code, each as its text. `lists`: each as the texts of its own
    items. `tables`: each as HTML. `title` is empty where the form has one and the document none.
    """

    form: ExtractedForm
    text: str
    blocks: tuple[str, ...]
    headings: tuple[Heading, ...] | None = None
    lists: tuple[tuple[str, ...], ...] | None = None
    tables: tuple[str, ...] | None = None
    title: str | None = None
