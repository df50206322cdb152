"""Check a golden set against its corpus, and seal both."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import read_records
from ragtriage.core.records import Case
from ragtriage.data.corpus import Corpus, read_corpus, seal_corpus
from ragtriage.data.golden import CASES, MANIFEST, golden_of, seal_golden
from ragtriage.data.manifest import GoldenManifest, check_files, read_manifest
from ragtriage.data.validation import validate_golden, warn_golden

__all__ = ["GoldenCheck", "as_json", "as_lines", "check_golden", "corpus_beside", "sign_golden"]

_PLACE = re.compile(r"(?s)(?P<file>.+?)(?::(?P<line>\d+))?: (?P<text>.*)")


@dataclass(frozen=True, slots=True)
class GoldenCheck:
    """What was found: every fault and warning, and what was looked at. `corpus_identity` is empty without a corpus."""

    path: Path
    corpus_path: Path
    cases: int
    documents: int
    corpus_identity: str
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]


def check_golden(path: Path, *, corpus_path: Path | None = None, seals: bool = True) -> GoldenCheck:
    """Find every fault of a golden set at once: broken records, seals, and what the corpus contradicts.

    The corpus is looked for in `corpus_path`, else in the folder `corpus` beside the golden set. `seals` False leaves
    the hashes in the manifests out of it.
    """
    faults: list[Fault] = []
    manifest = _manifest(path, faults)
    if manifest is not None and seals:
        faults += check_files(path, path / MANIFEST, manifest.files, [CASES])
    cases = _cases(path, faults)
    where = corpus_path if corpus_path is not None else corpus_beside(path)
    corpus = _corpus(where, faults, seals=seals)
    warnings: list[Fault] = []
    if corpus is not None and cases:
        sealed_for = manifest.corpus if manifest is not None and seals else ""
        golden = golden_of(cases, corpus_identity=sealed_for)
        faults += validate_golden(golden, corpus, path)
        warnings = warn_golden(golden, corpus, path)
    return GoldenCheck(
        path=path,
        corpus_path=where,
        cases=len(cases),
        documents=len(corpus.documents) if corpus is not None else 0,
        corpus_identity=corpus.identity if corpus is not None else "",
        faults=tuple(sorted(set(faults))),
        warnings=tuple(sorted(set(warnings))),
    )


def sign_golden(path: Path, *, corpus_path: Path | None = None) -> GoldenCheck:
    """Write the hashes of all files into both manifests, and the corpus identity into the golden set's.

    Nothing is written where the golden set has faults; raises BadInput with all of them.
    """
    check = check_golden(path, corpus_path=corpus_path, seals=False)
    if check.faults:
        count = f"{len(check.faults)} fault{'s' if len(check.faults) > 1 else ''}"
        raise BadInput(f"{path} is not signed, it has {count}:", check.faults)
    seal_corpus(check.corpus_path)
    seal_golden(path, corpus_identity=check.corpus_identity)
    return check


def as_lines(check: GoldenCheck) -> list[str]:
    """Return every fault and warning as one line of its own."""
    return [str(fault) for fault in check.faults] + [_warned(warning) for warning in check.warnings]


def as_json(check: GoldenCheck) -> str:
    """Return the check as one JSON object."""
    content = {
        "golden": str(check.path),
        "corpus": str(check.corpus_path),
        "corpus_identity": check.corpus_identity,
        "cases": check.cases,
        "documents": check.documents,
        "faults": _plain(check.faults),
        "warnings": _plain(check.warnings),
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def corpus_beside(path: Path) -> Path:
    """Return the folder `corpus` beside a golden set, as short as the path of the golden set was given."""
    return (path.resolve() if path.name in {"", ".."} else path).parent / "corpus"


def _plain(faults: Sequence[Fault]) -> list[dict[str, str | int]]:
    return [{"file": fault.file, "line": fault.line, "message": fault.message} for fault in faults]


def _warned(warning: Fault) -> str:
    return str(Fault(warning.file, warning.line, f"warning: {warning.message}"))


def _manifest(path: Path, faults: list[Fault]) -> GoldenManifest | None:
    try:
        return read_manifest(path / MANIFEST, GoldenManifest)
    except BadInput as error:
        faults += _faults_of(error, path / MANIFEST)
        return None


def _cases(path: Path, faults: list[Fault]) -> list[Case]:
    try:
        cases = read_records(path / CASES, Case, key="case_id", faults=faults)
    except BadInput as error:
        faults += _faults_of(error, path / CASES)
        return []
    if not cases and not faults:
        faults.append(Fault(str(path / CASES), 0, "holds no case"))
    return cases


def _corpus(where: Path, faults: list[Fault], *, seals: bool) -> Corpus | None:
    try:
        return read_corpus(where, seals=seals)
    except BadInput as error:
        faults += _faults_of(error, where)
        return None


def _faults_of(error: BadInput, place: Path) -> list[Fault]:
    """Return the faults of an error; one that has none is a fault of the place that its message begins with."""
    if error.faults:
        return list(error.faults)
    told = _PLACE.match(str(error))
    if told is None or not told["file"].startswith(str(place)):
        return [Fault(str(place), 0, str(error))]
    return [Fault(told["file"], int(told["line"] or 0), told["text"])]
