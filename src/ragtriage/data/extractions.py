"""Documents twice: as people wrote them down, and as an extractor gave them, paired by the stem of their files.

The stem is the id of the document in the corpus, where there is one.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ragtriage.core.errors import BadInput, Fault, MissingExtra
from ragtriage.core.files import read_bytes, read_text
from ragtriage.core.identity import hash_bytes, hash_json
from ragtriage.core.score import Failed
from ragtriage.data.document_folders import DocumentFolder, find_documents
from ragtriage.data.extracted import read_extracted
from ragtriage.data.extracted_document import ExtractedDocument

__all__ = ["Extraction", "folder_identity", "read_classes", "read_document", "read_extraction"]

_DOCUMENT_COLUMNS = ("document", "stem")
_COLUMNS = "needs the columns 'document' and 'class'"


@dataclass(frozen=True)
class Extraction:
    """Documents by stem, in sorted order.

    `reference`: the truth. `extracted`: what came of each of them, or what broke: no file, or one that cannot be read.
    `unpaired`: extracted documents without a reference, of which nothing can be said. `classes`: the kind of each
    document. `identity`: a hash of all files.
    """

    reference: Mapping[str, ExtractedDocument]
    extracted: Mapping[str, ExtractedDocument | Failed]
    unpaired: tuple[str, ...] = ()
    classes: Mapping[str, str] = field(default_factory=dict)
    identity: str = ""


def read_extraction(reference: Path, extracted: Path, *, classes: Path | None = None) -> Extraction:
    """Read both folders, and the classes of documents where a file of them is given.

    Raises BadInput with every fault: folders that cannot be paired, references that cannot be read, broken classes.
    An extracted file that is missing or cannot be read is a failure of its document.
    """
    truth, found = find_documents(reference), find_documents(extracted)
    references: dict[str, ExtractedDocument] = {}
    faults: list[Fault] = []
    for stem, path in truth.documents.items():
        document = read_document(path)
        if isinstance(document, Failed):
            faults.append(Fault(str(path), 0, document.message.removeprefix(f"{path}: ")))
        else:
            references[stem] = document
    kinds: Mapping[str, str] = {}
    try:
        kinds = {} if classes is None else read_classes(classes)
    except BadInput as error:
        faults += _faults(error, classes)
    if not truth.documents.keys() & found.documents.keys():
        faults.append(Fault(str(extracted), 0, f"no file has the stem of a document in {reference}"))
    if faults:
        raise BadInput("the documents to be measured cannot be read:", sorted(faults))
    missing = Failed("ingest", "Missing", "there is no extracted file of this stem")
    return Extraction(
        reference=references,
        extracted={
            stem: read_document(found.documents[stem]) if stem in found.documents else missing
            for stem in truth.documents
        },
        unpaired=tuple(stem for stem in found.documents if stem not in truth.documents),
        classes=kinds,
        identity=hash_json({"reference": _hashes(truth), "extracted": _hashes(found), "classes": dict(kinds)}),
    )


def read_classes(path: Path) -> dict[str, str]:
    """Read the class of each document from a CSV: columns `document` (or `stem`) and `class`; raises BadInput."""
    rows = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    found: dict[str, str] = {}
    faults: list[Fault] = []
    try:
        named = next((name for name in _DOCUMENT_COLUMNS if name in (rows.fieldnames or ())), None)
        if named is None or "class" not in (rows.fieldnames or ()):
            got = rows.fieldnames or "none"
            raise BadInput(f"{path} has 1 fault:", [Fault(str(path), 1, f"{_COLUMNS}. Got {got!s:.200} instead")])
        for row in rows:
            document, kind = ((row.get(name) or "").strip() for name in (named, "class"))
            document = unicodedata.normalize("NFC", document)
            if not document or not kind:
                faults.append(Fault(str(path), rows.reader.line_num, f"both {named!r} and 'class' must be filled"))
            elif not kind.isprintable():
                faults.append(
                    Fault(str(path), rows.reader.line_num, f"'class' must be one line of text. Got {kind!r:.80}")
                )
            elif found.setdefault(document, kind) != kind:
                told = f"{document!r:.80} has the class {found[document]!r:.80} already"
                faults.append(Fault(str(path), rows.reader.line_num, told))
    except csv.Error as error:
        faults.append(Fault(str(path), rows.reader.line_num, f"is no CSV: {error}"))
    if faults:
        raise BadInput(f"{path} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", faults)
    return found


def read_document(path: Path) -> ExtractedDocument | Failed:
    """Read a document, or say why it cannot be read; raises MissingExtra."""
    try:
        return read_extracted(path)
    except MissingExtra:
        raise
    except BadInput as error:
        return Failed("ingest", "Unreadable", str(error))


def folder_identity(folder: DocumentFolder) -> str:
    """Return a hash of the documents of a folder and of their names."""
    return hash_json(_hashes(folder))


def _hashes(folder: DocumentFolder) -> dict[str, str]:
    files = folder.documents.values()
    return {path.relative_to(folder.path).as_posix(): hash_bytes(read_bytes(path)) for path in files}


def _faults(error: BadInput, place: Path | None) -> Iterable[Fault]:
    return error.faults or [Fault(str(place), 0, str(error).removeprefix(f"{place}: "))]
