"""The chunks that a system lists, in a file or by `chunks()`: records, or what any chunker made of the corpus.

A list of whole records (`chunk_id`, `start` and `end` in each) is taken as it is: whether it tells the truth is what
metrics of chunks measure. In a list that leaves any of them out, and among objects of other libraries, what is said of
places is verified against the corpus and the rest is found there; what cannot be is a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import read_records, validate_record
from ragtriage.core.records import Chunk, Document
from ragtriage.data.chunk_lists import ListedChunk, placed_chunks, read_chunk_list
from ragtriage.data.chunk_objects import chunks_of_objects

__all__ = ["Documents", "chunks_of", "read_chunks"]

Documents: TypeAlias = Mapping[str, Document]
R = TypeVar("R", Chunk, ListedChunk)
_WHOLE = ("chunk_id", "start", "end")


def read_chunks(path: Path, documents: Documents | None) -> tuple[Chunk, ...]:
    """Read a JSON Lines file of chunks; `documents` None: there is no corpus to find places in.

    Raises BadInput with all faults.
    """
    if documents is not None:
        listed = read_records(path, ListedChunk, faults=[])  # they are told by what reads the file below
        if any(None in (chunk.chunk_id, chunk.start, chunk.end) for chunk in listed):
            return read_chunk_list(path, documents)
    return tuple(read_records(path, Chunk, key="chunk_id"))


def chunks_of(lister: Callable[[], Any], what: str, documents: Documents | None) -> tuple[Chunk, ...] | None:
    """Return the chunks that a system's `chunks()` lists, None where it returns None; `what` names the system.

    It may list chunks, dictionaries with their fields, LangChain documents or LlamaIndex nodes. Raises BadInput with
    all faults, and whatever the system raises.
    """
    offered = lister()
    if offered is None:
        return None
    where = f"chunks() of {what!r}"
    pieces = list(offered)
    plain = [_plain(piece) for piece in pieces]
    fields = [one for one in plain if one is not None]
    if len(fields) < len(pieces):
        if documents is None:
            place = plain.index(None)
            said = f"item {place} is a {type(pieces[place]).__name__} and no chunk"
            raise BadInput(
                f"{where}: {said}; what another library cut is found in a corpus: name it with [corpus] path"
            )
        return chunks_of_objects(pieces, documents.values(), where=where)
    if documents is None or all(map(_whole, fields)):
        return tuple(_records(Chunk, pieces, fields, where))
    return placed_chunks(_records(ListedChunk, pieces, fields, where), documents, where=where)


def _plain(piece: object) -> dict[str, Any] | None:
    """Return the fields of a chunk; None for an object of another library."""
    if isinstance(piece, Chunk | ListedChunk):
        return piece.model_dump(mode="json")
    return dict(piece) if isinstance(piece, Mapping) else None


def _whole(fields: Mapping[str, Any]) -> bool:
    return all(fields.get(name) is not None for name in _WHOLE)


def _records(kind: type[R], pieces: Iterable[object], fields: Iterable[dict[str, Any]], where: str) -> list[R]:
    found: list[R] = []
    faults: list[Fault] = []
    for place, (piece, plain) in enumerate(zip(pieces, fields, strict=True)):
        record, problems = (piece, []) if isinstance(piece, kind) else validate_record(kind, plain)
        faults += [Fault(where, 0, f"item {place}: {problem}") for problem in problems]
        found += [] if record is None else [record]
    if faults:
        raise BadInput(f"{where} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", faults)
    return found
