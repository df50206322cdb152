"""What the metrics of chunking may see: the chunks that a system indexed, against the documents they were cut from.

Offsets are code points of the document's text; a span is (start, end).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

__all__ = [
    "AttributionView",
    "BorderLabelsView",
    "BordersView",
    "EvidenceSplitView",
    "HierarchyView",
    "PairCosines",
    "SentencesView",
    "Span",
]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class BordersView:
    """The text of one document and the spans of its chunks, in any order."""

    population: ClassVar[str] = "documents"
    text: str
    chunks: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class PairCosines:
    """Cosines of pairs of sentences: the sum, and the number of pairs.

    `within`: both sentences stand in one chunk. `across`: one stands in a chunk, the other in the next, and no chunk
    holds both. A sum lies between minus and plus its number of pairs.
    """

    within: float
    within_pairs: int
    across: float
    across_pairs: int


@dataclass(frozen=True, slots=True)
class SentencesView:
    """How alike the sentences of one document are: over `every` pair, and over those that are `adjacent`.

    Sums stand in the place of vectors: they are all that is counted, and a thousandth of the size.
    """

    population: ClassVar[str] = "documents"
    every: PairCosines
    adjacent: PairCosines


@dataclass(frozen=True, slots=True)
class BorderLabelsView:
    """What a person said of sampled borders of one document: True for a reasonable place to cut."""

    population: ClassVar[str] = "documents"
    reasonable: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class EvidenceSplitView:
    """The gold spans of one golden case, and all chunks of the documents they stand in.

    `spans`: (document, start, end) without white space at the ends, since chunks are trimmed. `chunks` by document;
    None where the system does not list its chunks.
    """

    spans: tuple[tuple[str, int, int], ...]
    chunks: Mapping[str, tuple[Span, ...]] | None


@dataclass(frozen=True, slots=True)
class AttributionView:
    """One chunk and the document that it points to.

    `document`: the whole text of that document; None where no such document exists. `anchored`: the chunk names a page
    or a section; None where its document has neither.
    """

    population: ClassVar[str] = "chunks"
    text: str
    start: int
    end: int
    document: str | None
    anchored: bool | None


@dataclass(frozen=True, slots=True)
class HierarchyView:
    """Where one chunk says that it stands and where it stands.

    `doc_id`, `section_path` (outermost first): as the chunk says. `true_doc_id`: the document whose text holds it; None
    where none does. `true_path`: the headings that all of the chunk stands under; None where that is not known.
    """

    population: ClassVar[str] = "chunks"
    doc_id: str
    section_path: tuple[str, ...]
    true_doc_id: str | None
    true_path: tuple[str, ...] | None
