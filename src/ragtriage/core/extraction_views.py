"""What the metrics of extraction may see: a document as a person wrote it down, and as an extractor gave it.

`extracted` None means that the extractor gave nothing of the kind: no file, or a form that cannot hold it (plain text
has no headings); an empty text or tuple means that it could have and did not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = [
    "BlocksView",
    "BoilerplateView",
    "ExtractionView",
    "Heading",
    "HeadingsView",
    "ListsView",
    "TextView",
    "TitleView",
]


@dataclass(frozen=True, slots=True)
class ExtractionView:
    """The text of one document."""

    population: ClassVar[str] = "documents"
    reference: str
    extracted: str | None


@dataclass(frozen=True, slots=True)
class TextView:
    """The extracted text of one document alone, where no reference is needed."""

    population: ClassVar[str] = "documents"
    text: str | None


@dataclass(frozen=True, slots=True)
class BlocksView:
    """The blocks of one document in reading order: paragraphs, headings, list items, tables, each as its text."""

    population: ClassVar[str] = "documents"
    reference: tuple[str, ...]
    extracted: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level from 1, its text, and the text of the heading that it stands under, None at the top."""

    level: int
    text: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class HeadingsView:
    """The headings of one document in order."""

    population: ClassVar[str] = "documents"
    reference: tuple[Heading, ...]
    extracted: tuple[Heading, ...] | None


@dataclass(frozen=True, slots=True)
class ListsView:
    """The lists of one document, each as the texts of its own items; a list inside an item is a list of its own."""

    population: ClassVar[str] = "documents"
    reference: tuple[tuple[str, ...], ...]
    extracted: tuple[tuple[str, ...], ...] | None


@dataclass(frozen=True, slots=True)
class TitleView:
    """The title of one document; an empty `extracted` says that none was found."""

    population: ClassVar[str] = "documents"
    reference: str
    extracted: str | None


@dataclass(frozen=True, slots=True)
class BoilerplateView:
    """A page before cleaning, what of it a person marked as its body, and what the cleaner left of it.

    What the page has and the body has not is the labelled boilerplate; what the page has and the cleaner left not is
    what it removed.
    """

    population: ClassVar[str] = "documents"
    page: str
    body: str
    extracted: str | None
