"""Chunks out of other libraries, read by their shape: LangChain documents and LlamaIndex nodes. Imports neither."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import regex

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import validate_record
from ragtriage.core.records import Chunk, Document
from ragtriage.data.chunk_lists import ListedChunk, placed_chunks

__all__ = ["chunks_of_objects"]

_DOCUMENT_KEYS = ("doc_id", "document_id", "ref_doc_id", "source_id", "source", "file_path", "file_name", "url")
_PAGE_KEYS = ("page", "page_number", "page_label")
_HEADER = regex.compile(r"(?i)h(?:eader|eading)?[ _]?([1-6])$")
_OWN_HEADING = regex.compile(r"\s{0,3}#{1,6}[ \t]+([^\n]*?)[ \t]*#*[ \t]*(?:\n|$)")
_SOURCE = ("1", "SOURCE", "source")  # LlamaIndex's NodeRelationship.SOURCE by value and by name


def chunks_of_objects(
    objects: Iterable[object],
    documents: Iterable[Document],
    *,
    doc_id_key: str | None = None,
    where: str = "chunks",
) -> tuple[Chunk, ...]:
    """Return chunks for the LangChain `Document`s or LlamaIndex nodes that were cut from the documents.

    Their offsets (`metadata["start_index"]`; `start_char_idx`, `end_char_idx`) are verified; where they have none, or
    -1 as LangChain writes what it did not find, their place is found by text and order. The document is the one whose
    id or uri `metadata[doc_id_key]` names, else `ref_doc_id`, the source among `relationships`, or one of the usual
    keys of metadata; the only document where there is one. Headings and pages come from the usual keys of metadata.
    Raises BadInput with every fault: objects of another shape, of no known document, texts that stand nowhere; `where`
    names the list in it.

    >>> class Piece:
    ...     page_content, metadata = "two", {"source": "d", "start_index": 4}
    >>> chunks_of_objects([Piece()], [Document(doc_id="d", text="one two")])[0].chunk_id
    'd#0'
    """
    known = {document.doc_id: document for document in documents}
    names = {**{d.uri: d.doc_id for d in known.values() if d.uri}, **{doc_id: doc_id for doc_id in known}}
    faults: list[Fault] = []
    listed: list[ListedChunk] = []
    for number, given in enumerate(objects, start=1):
        plain = _plain(given)
        if plain is None:
            said = f"is a {type(given).__name__}; a LangChain document or a LlamaIndex node was expected"
            faults.append(Fault(where, 0, f"chunk {number} {said}"))
            continue
        doc_id = _document(plain, names, doc_id_key)
        if doc_id is None:
            said = ", ".join(f"{key}={value!r}" for key, value in sorted(plain["metadata"].items()))
            faults.append(Fault(where, 0, f"chunk {number} names no document of the corpus. Its metadata: {said}"))
            continue
        fields = {name: value for name, value in plain.items() if name != "sources"} | {"doc_id": doc_id}
        record, problems = validate_record(ListedChunk, fields)
        faults.extend(Fault(where, 0, f"chunk {number} of {doc_id!r}: {problem}") for problem in problems)
        if record is not None:
            listed.append(record)
    if faults:
        raise BadInput(f"{where} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", faults)
    return placed_chunks(listed, known, where=where)


def _plain(given: Any) -> dict[str, Any] | None:
    """Return what an object tells as fields of ListedChunk, with the names of its `sources`; None for another shape."""
    if hasattr(given, "node") and not hasattr(given, "page_content"):
        given = given.node  # a node with a score
    metadata = getattr(given, "metadata", None)
    metadata = dict(metadata) if isinstance(metadata, Mapping) else {}
    if hasattr(given, "page_content"):
        start = metadata.get("start_index")
        return _fields(given.page_content, metadata, start=None if start == -1 else start, end=None, sources=[])
    if not any(hasattr(given, name) for name in ("start_char_idx", "relationships", "ref_doc_id", "node_id")):
        return None
    text = getattr(given, "text", None)
    if text is None and callable(getattr(given, "get_content", None)):
        text = given.get_content()
    start, end = (getattr(given, name, None) for name in ("start_char_idx", "end_char_idx"))
    fields = _fields(text, metadata, start=start, end=end if start is not None else None, sources=_sources(given))
    name = getattr(given, "node_id", None) or getattr(given, "id_", None)
    return fields | ({"chunk_id": name} if name else {})


def _fields(text: Any, metadata: dict[str, Any], *, start: Any, end: Any, sources: list[str]) -> dict[str, Any]:
    return {
        "text": text,
        "start": start,
        "end": end,
        "section_path": _headings(metadata, text),
        "page": _page(metadata),
        "metadata": {key: value if _is_json(value) else str(value) for key, value in metadata.items()},
        "sources": sources,
    }


def _sources(node: Any) -> list[str]:
    """Return the names of the document that a LlamaIndex node says it comes from."""
    found = [getattr(node, "ref_doc_id", None)]
    relationships = getattr(node, "relationships", None)
    for kind, related in relationships.items() if isinstance(relationships, Mapping) else ():
        if str(getattr(kind, "value", kind)) in _SOURCE:
            found.append(related.get("node_id") if isinstance(related, Mapping) else getattr(related, "node_id", None))
    return [name for name in found if isinstance(name, str)]


def _document(plain: dict[str, Any], names: Mapping[str, str], doc_id_key: str | None) -> str | None:
    metadata = plain["metadata"]
    if doc_id_key is not None:
        return names.get(str(metadata.get(doc_id_key)))
    said = [*plain["sources"], *(metadata[key] for key in _DOCUMENT_KEYS if isinstance(metadata.get(key), str))]
    found = next((names[name] for name in said if name in names), None)
    if found is None and not said and len(set(names.values())) == 1:
        return next(iter(names.values()))
    return found


def _headings(metadata: Mapping[str, Any], text: Any) -> list[str]:
    """Read headings: a list `section_path`, `Header 1` to 6 as LangChain has them, or LlamaIndex's `header_path`.

    The latter leaves out the heading that the node's own text begins with.
    """
    if isinstance(metadata.get("section_path"), list | tuple):
        return [str(one) for one in metadata["section_path"]]
    levels = {int(match[1]): str(value) for key, value in metadata.items() if (match := _HEADER.match(str(key)))}
    if levels:
        return [levels[level] for level in sorted(levels)]
    path = metadata.get("header_path")
    if not isinstance(path, str):
        return []
    own = _OWN_HEADING.match(text) if isinstance(text, str) else None
    return [*(part for part in path.split("/") if part), *([own[1]] if own else [])]


def _page(metadata: Mapping[str, Any]) -> int | None:
    for key in _PAGE_KEYS:
        value = metadata.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and value.isdecimal():
            return int(value)
    return None


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
