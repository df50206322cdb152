"""Chunks of any chunker, held against the documents they were cut from: offsets found where there are none.

What a list claims is verified and never repaired: a chunk whose text does not stand where it says is a fault.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import Field, JsonValue

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import read_records
from ragtriage.core.identity import hash_bytes
from ragtriage.core.records import Chunk, Document, Identifier, Record, Whole
from ragtriage.text.placing import place_texts

__all__ = ["ListedChunk", "chunk_faults", "chunk_name", "placed_chunks", "read_chunk_list"]

_LONGEST_ID = 256
_SHOWN = 40


class ListedChunk(Record):
    """A chunk as some chunker lists it; without `start` its place is found by its text and its place in the list."""

    doc_id: Identifier
    text: str
    chunk_id: Identifier | None = None
    start: Whole | None = None
    end: Whole | None = None
    section_path: tuple[str, ...] = ()
    page: int | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


def chunk_name(doc_id: str, number: int) -> str:
    """Name a chunk by its document and number; a long name of a document is cut and told apart by its hash.

    >>> chunk_name("fees", 3)
    'fees#3'
    """
    whole = f"{doc_id}#{number}"
    return (
        whole if len(whole) <= _LONGEST_ID else f"{doc_id[:180].rstrip()}~{hash_bytes(doc_id.encode())[:32]}#{number}"
    )


def read_chunk_list(path: Path, documents: Mapping[str, Document]) -> tuple[Chunk, ...]:
    """Read a JSON Lines file of `ListedChunk` and place what has no offsets.

    Chunks of one document stand in the order of the document. Raises BadInput with every fault: broken lines first, and
    where there are none, all chunks that cannot be placed, by document and number.
    """
    return placed_chunks(read_records(path, ListedChunk), documents, where=str(path))


def placed_chunks(
    listed: Sequence[ListedChunk], documents: Mapping[str, Document], *, where: str = "chunks"
) -> tuple[Chunk, ...]:
    """Return the chunks with their offsets verified or found, in the order of the list.

    Where a document has chunks without offsets, all its chunks have to come in its order. Raises BadInput with every
    fault, each with its document and the number of the chunk in it, from 1.

    >>> document = Document(doc_id="d", text="parrot parrot")
    >>> [c.start for c in placed_chunks([ListedChunk(doc_id="d", text="parrot")] * 2, {"d": document})]
    [0, 7]
    """
    faults: list[Fault] = []
    places: dict[str, list[int]] = {}
    for place, chunk in enumerate(listed):
        places.setdefault(chunk.doc_id, []).append(place)
    found: dict[int, Chunk] = {}
    for doc_id, numbers in places.items():
        own = [listed[place] for place in numbers]
        if doc_id not in documents:
            faults.append(_unknown(doc_id, len(own), where))
            continue
        made = _placed(own, documents[doc_id], where, faults)
        found.update((place, chunk) for place, chunk in zip(numbers, made, strict=True) if chunk is not None)
    for name, count in Counter(chunk.chunk_id for chunk in found.values()).items():
        if count > 1:
            faults.append(Fault(where, 0, f"the chunk id {name!r} stands {count} times; it must be unique"))
    if faults:
        raise BadInput(f"{where} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", faults)
    return tuple(found[place] for place in range(len(listed)))


def _placed(own: Sequence[ListedChunk], document: Document, where: str, faults: list[Fault]) -> list[Chunk | None]:
    text = document.text
    starts: Sequence[int | None] = [chunk.start for chunk in own]
    if None in starts:
        starts = place_texts(text, [chunk.text for chunk in own], known=starts)
    made: list[Chunk | None] = []
    for number, (chunk, start) in enumerate(zip(own, starts, strict=True), start=1):
        problem = _problem(chunk, start, text)
        if problem is not None or start is None:
            faults.append(Fault(where, 0, f"chunk {number} of {document.doc_id!r} {problem}"))
            made.append(None)
            continue
        fields = chunk.model_dump(exclude={"chunk_id", "start", "end"})
        name = chunk.chunk_id or chunk_name(document.doc_id, number - 1)
        made.append(Chunk(chunk_id=name, start=start, end=start + len(chunk.text), **fields))
    return made


def _problem(chunk: ListedChunk, start: int | None, text: str) -> str | None:
    """Say why a chunk cannot stand where it should; None where it does."""
    if not chunk.text.strip():
        return "is empty"
    said = chunk.start if chunk.start is not None else start
    if said is None:
        if chunk.text in text:
            return f"stands only before the chunks that come before it in the list: {_shown(chunk.text)}"
        hint = ""
        if " ".join(chunk.text.split()) in " ".join(text.split()):
            hint = ", but it does with other white space: list the text as it stands there"
        return f"stands nowhere in the document{hint}: {_shown(chunk.text)}"
    if text[said : said + len(chunk.text)] != chunk.text:
        return f"does not stand at {said}: {_shown(text[said : said + _SHOWN])} does, not {_shown(chunk.text)}"
    if chunk.end is not None and chunk.end != said + len(chunk.text):
        return f"has {len(chunk.text)} characters and cannot reach from {said} to {chunk.end}"
    return None if start is not None else f"stands at {said}, where its order in the list does not allow it"


def _unknown(doc_id: str, count: int, where: str) -> Fault:
    chunks = "1 chunk names" if count == 1 else f"{count} chunks name"
    return Fault(where, 0, f"{chunks} the document {doc_id!r}, which does not exist")


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…")


def chunk_faults(chunks: Iterable[Chunk], documents: Mapping[str, Document], *, where: str = "chunks") -> list[Fault]:
    """Return every breach of what holds for chunks cut from documents; an empty list where all is well.

    The document exists; the text at the offsets is the chunk; starts strictly rise within a document; together the
    chunks of a document hold all that is not white space. Documents without any chunk are breaches of the last.

    >>> document = Document(doc_id="d", text="one two")
    >>> chunk_faults([Chunk(chunk_id="c", doc_id="d", start=0, end=3, text="one")], {"d": document})[0].message
    "'d': no chunk holds 'two' at [4, 7)"
    """
    faults: list[Fault] = []
    by_document: dict[str, list[Chunk]] = {doc_id: [] for doc_id in documents}
    for chunk in chunks:
        by_document.setdefault(chunk.doc_id, []).append(chunk)
    for doc_id, own in by_document.items():
        if doc_id not in documents:
            faults.append(_unknown(doc_id, len(own), where))
            continue
        text = documents[doc_id].text
        for number, chunk in enumerate(own, start=1):
            if text[chunk.start : chunk.end] != chunk.text or chunk.start >= chunk.end:
                said = f"says [{chunk.start}, {chunk.end}), where {_shown(text[chunk.start : chunk.end])} stands"
                faults.append(Fault(where, 0, f"chunk {number} of {doc_id!r} {said}, not {_shown(chunk.text)}"))
        for number, (one, other) in enumerate(itertools.pairwise(own), start=2):
            if other.start <= one.start:
                said = f"begins at {other.start}, not behind {one.start}, where the one before it begins"
                faults.append(Fault(where, 0, f"chunk {number} of {doc_id!r} {said}"))
        for start, end in _left_out(text, own):
            faults.append(Fault(where, 0, f"{doc_id!r}: no chunk holds {_shown(text[start:end])} at [{start}, {end})"))
    return faults


def _left_out(text: str, chunks: Sequence[Chunk]) -> list[tuple[int, int]]:
    """Return what no chunk holds, without white space at its ends."""
    gaps: list[tuple[int, int]] = []
    reached = 0
    for start, end in [*sorted((c.start, c.end) for c in chunks), (len(text), len(text))]:
        gap = text[reached:start]
        if gap.strip():
            begin = reached + len(gap) - len(gap.lstrip())
            gaps.append((begin, begin + len(gap.strip())))
        reached = max(reached, end)
    return gaps
