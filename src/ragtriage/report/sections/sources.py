"""The texts that cases refer to, each held once: pieces of documents, and passages that stand in no document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragtriage.core.records import ContextItem, Document
from ragtriage.report.model import Report

__all__ = ["Excerpt", "Piece", "Source", "Sources", "sources"]

_WHOLE_UP_TO = 6000  # characters; a longer document is held in pieces
_MARGIN = 400  # characters of the document shown around what is referred to


@dataclass(frozen=True, slots=True)
class Excerpt:
    """[start, end) of the text that the source with this key holds."""

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text that begins at code point `start` of its document."""

    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """A document (or a passage of none: `doc_id` None) with what is known of it; `length` of the whole text."""

    key: str
    doc_id: str | None
    title: str
    facts: tuple[tuple[str, str], ...]
    length: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Sources:
    """All sources in order, and where to find one."""

    all: tuple[Source, ...]
    documents: Mapping[str, Source]
    loose: Mapping[str, Source]

    def excerpt(self, doc_id: str | None, start: int | None, end: int | None) -> Excerpt | None:
        """Return where [start, end) of a document is held; None where it is not."""
        source = self.documents.get(doc_id) if doc_id is not None else None
        if source is None or start is None or end is None:
            return None
        held = any(p.start <= start and end <= p.start + len(p.text) for p in source.pieces)
        return Excerpt(source.key, start, end) if held else None

    def of_item(self, item: ContextItem, documents: Mapping[str, Document]) -> Excerpt | None:
        """Return where the text of a context item is held."""
        if _stands_in(item, documents):
            return self.excerpt(item.doc_id, item.start, item.end)
        source = self.loose.get(item.text)
        return Excerpt(source.key, 0, len(item.text)) if source else None


def sources(report: Report, *, hits: int) -> Sources:
    """Collect what contexts, gold evidence and the first `hits` results of every ranking refer to."""
    ranges: dict[str, list[tuple[int, int]]] = defaultdict(list)
    loose: dict[str, None] = {}
    for trace in report.traces.values():
        for item in trace.context or ():
            if _stands_in(item, report.documents):
                _add(ranges, report, item.doc_id, item.start, item.end)
            else:
                loose.setdefault(item.text)
        for ranking in trace.rankings or ():
            for hit in ranking.hits[:hits]:
                _add(ranges, report, hit.doc_id, hit.start, hit.end)
    for case in report.cases.values():
        for evidence in case.evidence:
            _add(ranges, report, evidence.doc_id, evidence.start, evidence.end)
    held = [report.documents[doc_id] for doc_id in sorted(ranges)]
    documents = {d.doc_id: _document(f"d{n}", d, ranges[d.doc_id]) for n, d in enumerate(held, start=1)}
    passages = {text: _passage(f"p{n}", text) for n, text in enumerate(loose, start=1)}
    return Sources((*documents.values(), *passages.values()), documents, passages)


def _stands_in(item: ContextItem, documents: Mapping[str, Document]) -> bool:
    document = documents.get(item.doc_id) if item.doc_id is not None else None
    return document is not None and item.start is not None and document.text[item.start : item.end] == item.text


def _add(
    ranges: dict[str, list[tuple[int, int]]], report: Report, doc_id: str | None, start: int | None, end: int | None
) -> None:
    if doc_id is None or doc_id not in report.documents:
        return
    found = ranges[doc_id]
    if start is not None and end is not None:
        found.append((start, end))


def _document(key: str, document: Document, ranges: Iterable[tuple[int, int]]) -> Source:
    text = document.text
    return Source(
        key=key,
        doc_id=document.doc_id,
        title=document.title,
        facts=_facts(document),
        length=len(text),
        pieces=tuple(Piece(start, text[start:end]) for start, end in _merged(len(text), ranges)),
    )


def _merged(length: int, ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    if length <= _WHOLE_UP_TO:
        return [(0, length)]
    merged: list[tuple[int, int]] = []
    for start, end in sorted((max(0, start - _MARGIN), min(length, end + _MARGIN)) for start, end in ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged or [(0, _WHOLE_UP_TO)]


def _passage(key: str, text: str) -> Source:
    return Source(key=key, doc_id=None, title="", facts=(), length=len(text), pieces=(Piece(0, text),))


def _facts(document: Document) -> tuple[tuple[str, str], ...]:
    validity = (document.valid_from, document.valid_to)
    known = {
        "language": document.language,
        "type": document.source_type,
        "version": document.version,
        "valid": "\u2013".join("" if day is None else day.isoformat() for day in validity) if any(validity) else None,
        "supersedes": document.supersedes,
        "tenant": document.tenant,
        "roles": ", ".join(document.acl) or None,
        "trust": None if document.trusted else "untrusted",
    }
    return tuple((name, value) for name, value in known.items() if value)
