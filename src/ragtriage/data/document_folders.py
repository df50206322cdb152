"""Folders of documents, paired by the stem of their files: `a/b.html` and `a/b.txt` are one document, `a/b`."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragtriage.core.errors import BadInput, Fault
from ragtriage.data.extracted import SUFFIXES

__all__ = ["DocumentFolder", "find_documents"]


@dataclass(frozen=True, slots=True)
class DocumentFolder:
    """The readable files of a folder and of those in it, by stem in sorted order; `others`: how many files are none."""

    path: Path
    documents: Mapping[str, Path]
    others: int


def find_documents(folder: Path) -> DocumentFolder:
    """Find the documents of a folder; files and folders whose name begins with a dot are passed over.

    The stem is the path below the folder without the last suffix, in Unicode form NFC. Raises BadInput where it is no
    folder, holds no document, or has two of one stem, all of them named.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder}: is no folder")
    found: dict[str, list[Path]] = defaultdict(list)
    others = 0
    try:
        for path in sorted(folder.rglob("*")):
            place = path.relative_to(folder)
            if any(part.startswith(".") for part in place.parts) or not path.is_file():
                continue
            if path.suffix.lower() in SUFFIXES:
                found[unicodedata.normalize("NFC", place.with_suffix("").as_posix())].append(path)
            else:
                others += 1
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror or error}") from error
    odd = [Fault(str(folder), 0, f"the name {stem!r} is not UTF-8") for stem in found if not _encodable(stem)]
    if odd:
        raise BadInput(f"{folder} has files that cannot be named:", odd)
    twice = [
        Fault(str(paths[0]), 0, f"the stem {stem!r} is also that of {', '.join(path.name for path in paths[1:])}")
        for stem, paths in found.items()
        if len(paths) > 1
    ]
    if twice:
        raise BadInput(f"{folder} has more than one file of a stem, so documents cannot be paired:", twice)
    if not found:
        raise BadInput(f"{folder}: holds no document: no file that ends in {', '.join(SUFFIXES)}")
    return DocumentFolder(folder, {stem: paths[0] for stem, paths in sorted(found.items())}, others)


def _encodable(name: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in name)
