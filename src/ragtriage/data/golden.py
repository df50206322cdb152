"""The golden set: a folder of `golden.toml` and `cases.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtriage.core.errors import BadInput, did_you_mean
from ragtriage.core.files import read_records, validate_record
from ragtriage.core.identity import hash_records
from ragtriage.core.records import Case, Evidence
from ragtriage.data.datasets import read_data_set
from ragtriage.data.manifest import GoldenManifest, check_files, read_manifest, seal_files

__all__ = ["CASES", "MANIFEST", "Golden", "golden_of", "read_golden", "seal_golden"]

MANIFEST = "golden.toml"
CASES = "cases.jsonl"


@dataclass(frozen=True, slots=True)
class Golden:
    """The cases in the order of the file; `identity` hashes them, `corpus_identity` is empty where it is not sealed."""

    name: str
    version: str
    identity: str
    corpus_identity: str
    cases: tuple[Case, ...]


def golden_of(cases: Iterable[Case], *, name: str = "", version: str = "", corpus_identity: str = "") -> Golden:
    """Make a golden set of records; equal content has the same identity in any order."""
    all_cases = tuple(cases)
    identity = hash_records((c.case_id, c.model_dump(mode="json", exclude_defaults=True)) for c in all_cases)
    return Golden(name, version, identity, corpus_identity, all_cases)


def read_golden(
    path: Path, *, source: str | None = None, split: str | None = None, grade_map: Mapping[str, int] | None = None
) -> Golden:
    """Read a golden set folder, or a foreign data set where `source` names its reader.

    `split` keeps the cases of one split. `grade_map` maps grades of evidence on reading, all at once (`{"1": 4,
    "4": 1}` swaps them); grades that it does not name stay. Raises BadInput with every fault: a file that changed
    after it was sealed, broken records, ids that stand twice, a split that no case has.
    """
    mapping = dict(grade_map or {})
    if source is not None:
        _, found = read_data_set(path, source=source)
        cases, manifest = _mapped(found, mapping, path), GoldenManifest(name=path.name)
    else:
        manifest = read_manifest(path / MANIFEST, GoldenManifest)
        if faults := check_files(path, path / MANIFEST, manifest.files, [CASES]):
            raise BadInput(f"{path} is not the golden set that was sealed:", faults)
        cases = read_records(path / CASES, Case, key="case_id", prepare=lambda value: _map_grades(value, mapping))
    if split is not None:
        splits = sorted({case.split for case in cases if case.split is not None})
        cases = [case for case in cases if case.split == split]
        if not cases:
            known = f" Its splits are: {', '.join(splits) or 'none'}."
            raise BadInput(f"{path}: no case is in the split {split!r}.{known}{did_you_mean(split, splits)}")
    if not cases:
        raise BadInput(f"{path if source is not None else path / CASES}: holds no case")
    return golden_of(cases, name=manifest.name, version=manifest.version, corpus_identity=manifest.corpus)


def seal_golden(path: Path, *, corpus_identity: str | None = None) -> None:
    """Write the SHA-256 of the cases, and the identity of the corpus they were checked against, into `golden.toml`."""
    read_manifest(path / MANIFEST, GoldenManifest)
    seal_files(path / MANIFEST, [CASES], corpus=corpus_identity)


def _map_grades(value: dict[str, Any], mapping: Mapping[str, int]) -> dict[str, Any]:
    evidence = value.get("evidence")
    if not mapping or not isinstance(evidence, list):
        return value
    mapped = [_map_grade(span, mapping) if isinstance(span, dict) else span for span in evidence]
    return {**value, "evidence": mapped}


def _map_grade(span: dict[str, Any], mapping: Mapping[str, int]) -> dict[str, Any]:
    grade = span["grade"] if "grade" in span else Evidence.model_fields["grade"].default
    name = grade if isinstance(grade, str) else json.dumps(grade)
    return {**span, "grade": mapping[name]} if name in mapping else span


def _mapped(cases: Iterable[Case], mapping: Mapping[str, int], path: Path) -> list[Case]:
    if not mapping:
        return list(cases)
    found: list[Case] = []
    for case in cases:
        mapped, problems = validate_record(Case, _map_grades(case.model_dump(mode="json"), mapping))
        if mapped is None:
            raise BadInput(f"{path}: case {case.case_id!r} after the grade map: {problems[0]}")
        found.append(mapped)
    return found
