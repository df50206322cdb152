"""The corpus: a folder of `corpus.toml`, `documents.jsonl` (or `.parquet`) and optional `chunks.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ragtriage.core.errors import BadInput, Fault, did_you_mean
from ragtriage.core.files import read_lines, read_records
from ragtriage.core.identity import hash_json, hash_records
from ragtriage.core.records import Chunk, Document
from ragtriage.data.datasets import read_data_set
from ragtriage.data.manifest import CorpusManifest, check_files, read_manifest, seal_files
from ragtriage.data.tabular import read_parquet_records

__all__ = ["Corpus", "corpus_of", "read_corpus", "seal_corpus"]

_MANIFEST = "corpus.toml"
_CHUNKS = "chunks.jsonl"


@dataclass(frozen=True)
class Corpus:
    """All documents by id, and the chunks of them where the corpus brings its own; `identity` hashes the content."""

    name: str
    version: str
    identity: str
    documents: Mapping[str, Document]
    chunks: tuple[Chunk, ...] | None = None

    @cached_property
    def successors(self) -> Mapping[str, tuple[Document, ...]]:
        """By document id the documents that supersede it."""
        found: dict[str, tuple[Document, ...]] = {}
        for document in self.documents.values():
            if document.supersedes is not None:
                found[document.supersedes] = (*found.get(document.supersedes, ()), document)
        return found

    @cached_property
    def fields(self) -> frozenset[str]:
        """Names that at least one document records a value for: fields and keys of `metadata`."""
        names: set[str] = set()
        for document in self.documents.values():
            names.update(document.metadata)
            names.update(n for n in document.model_fields_set if getattr(document, n) is not None)
        return frozenset(names - {"metadata"})


def corpus_of(
    documents: Iterable[Document], *, chunks: Iterable[Chunk] | None = None, name: str = "", version: str = ""
) -> Corpus:
    """Make a corpus of records; equal content has the same identity in any order.

    >>> corpus_of([Document(doc_id="a", text="x")]).identity == corpus_of([Document(doc_id="a", text="y")]).identity
    False
    """
    by_id = {document.doc_id: document for document in documents}
    pieces = None if chunks is None else tuple(chunks)
    hashes = {
        "documents": hash_records((d.doc_id, d.model_dump(mode="json", exclude_defaults=True)) for d in by_id.values())
    }
    if pieces is not None:
        hashes["chunks"] = hash_records((c.chunk_id, c.model_dump(mode="json", exclude_defaults=True)) for c in pieces)
    return Corpus(name, version, hash_json(hashes), by_id, pieces)


def read_corpus(path: Path, *, source: str | None = None, seals: bool = True) -> Corpus:
    """Read a corpus folder, or a foreign data set where `source` names its reader.

    `seals` False also reads files that changed after they were sealed, so that they can be sealed again.
    Raises BadInput with every fault: a file that changed after it was sealed, broken records, ids that stand twice,
    validity that ends before it begins, documents that supersede an unknown one or, in a ring, themselves.
    """
    if source is not None:
        documents, _ = read_data_set(path, source=source)
        return corpus_of(documents, name=path.name)
    manifest = read_manifest(path / _MANIFEST, CorpusManifest)
    documents_file = _documents_file(path)
    used = [documents_file.name, *([_CHUNKS] if (path / _CHUNKS).exists() else [])]
    if seals and (faults := check_files(path, path / _MANIFEST, manifest.files, used)):
        raise BadInput(f"{path} is not the corpus that was sealed:", faults)
    if documents_file.suffix == ".parquet":
        documents = read_parquet_records(documents_file, Document, key="doc_id")
    else:
        documents = read_records(documents_file, Document, key="doc_id")
    if not documents:
        raise BadInput(f"{documents_file}: holds no document")
    if faults := _contradictions(documents, documents_file):
        raise BadInput(f"{documents_file} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", faults)
    chunks = read_records(path / _CHUNKS, Chunk, key="chunk_id") if _CHUNKS in used else None
    return corpus_of(documents, chunks=chunks, name=manifest.name, version=manifest.version)


def seal_corpus(path: Path) -> None:
    """Write the SHA-256 of the corpus's files into its `corpus.toml`; raises BadInput where they cannot be read."""
    read_manifest(path / _MANIFEST, CorpusManifest)
    names = [_documents_file(path).name, *([_CHUNKS] if (path / _CHUNKS).exists() else [])]
    seal_files(path / _MANIFEST, names)


def _documents_file(folder: Path) -> Path:
    found = [folder / name for name in ("documents.jsonl", "documents.parquet") if (folder / name).exists()]
    if len(found) != 1:
        came = " and ".join(file.name for file in found) or "neither"
        raise BadInput(f"{folder}: must hold one of documents.jsonl and documents.parquet. Got {came} instead")
    return found[0]


def _contradictions(documents: list[Document], file: Path) -> list[Fault]:
    """Find what is wrong between records, each of which is right by itself."""
    by_id = {document.doc_id: document for document in documents}
    problems: list[tuple[int, str]] = []
    for place, document in enumerate(documents):
        if document.valid_from and document.valid_to and document.valid_to < document.valid_from:
            problems.append((place, f"'valid_to' {document.valid_to} lies before 'valid_from' {document.valid_from}"))
        if document.supersedes is None:
            continue
        if document.supersedes not in by_id:
            hint = did_you_mean(document.supersedes, by_id)
            problems.append((place, f"'supersedes' names {document.supersedes!r}, which is no document.{hint}"))
        elif _in_ring(document, by_id):
            problems.append((place, f"{document.doc_id!r} supersedes itself by way of {document.supersedes!r}"))
    if not problems:
        return []
    lines = range(1, len(documents) + 1) if file.suffix == ".parquet" else [line for line, _ in read_lines(file)]
    return [Fault(str(file), lines[place], text) for place, text in problems]


def _in_ring(document: Document, by_id: Mapping[str, Document]) -> bool:
    seen: set[str] = set()
    current = document.supersedes
    while current is not None and current not in seen and current in by_id:
        if current == document.doc_id:
            return True
        seen.add(current)
        current = by_id[current].supersedes
    return False
