"""A chunk as it is searched: with the title and headings it stands under, and its terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragtriage.core.records import Chunk, Document
from reference_rag.languages import detect_language
from reference_rag.tokens import numbers, terms

__all__ = ["SearchedChunk", "searched"]


@dataclass(frozen=True, slots=True)
class SearchedChunk:
    """`text`: the chunk behind those headings that it does not begin with, and what a model said of where it stands.

    `terms` are those of `text`.
    """

    chunk: Chunk
    document: Document
    text: str
    language: str | None
    terms: tuple[str, ...]
    heading_terms: tuple[str, ...]
    numbers: frozenset[str]


def searched(chunks: Iterable[Chunk], documents: Mapping[str, Document]) -> list[SearchedChunk]:
    """Make chunks searchable, in order."""
    found: list[SearchedChunk] = []
    for chunk in chunks:
        document = documents[chunk.doc_id]
        language = document.language or detect_language(chunk.text)
        headings = list(dict.fromkeys(part for part in (document.title, *chunk.section_path) if part))
        above = [part for part in headings if not _begins_with(chunk.text, part)]
        told = [chunk.metadata.get(name) for name in ("context", "table_head")]
        text = "\n".join([*above, *(one for one in told if isinstance(one, str)), chunk.text])
        found.append(
            SearchedChunk(
                chunk=chunk,
                document=document,
                text=text,
                language=language,
                terms=tuple(terms(text, language=language)),
                heading_terms=tuple(terms("\n".join(headings), language=language)),
                numbers=frozenset(numbers(text)),
            )
        )
    return found


def _begins_with(text: str, heading: str) -> bool:
    """Say whether the text begins with a heading, or with heading lines among which it stands."""
    for line in text.split("\n"):
        plain = line.strip().lstrip("#").strip()
        if plain.casefold().startswith(heading.casefold()):
            return True
        if plain and not line.lstrip().startswith("#"):
            return False
    return False
