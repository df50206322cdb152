"""A project made from a BEIR folder: its documents, its judged questions, and a pipeline that searches them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtriage.core.errors import BadInput
from ragtriage.core.identity import hash_bytes
from ragtriage.core.records import Case, Record
from ragtriage.data.corpus import corpus_of
from ragtriage.data.datasets import read_data_set
from ragtriage.report.escaping import one_line
from ragtriage.workflows.annotated import toml_value
from ragtriage.workflows.projects import Project

__all__ = ["beir"]

_PREFERRED = "test"
_SHOWN = 5


def beir(source: Path, *, dense: bool) -> Project:
    """Make the project; raises BadInput with every fault of the folder."""
    if not source.is_dir():
        raise BadInput(f"{source}: is no folder; a BEIR folder holds corpus.jsonl, queries.jsonl and qrels/*.tsv")
    documents, cases = read_data_set(source, source="beir")
    name = one_line(source.resolve().name) or "beir"
    identity = corpus_of(documents).identity
    splits = sorted({case.split for case in cases if case.split is not None})
    lines = {"corpus/documents.jsonl": _lines(documents), "golden/cases.jsonl": _lines(cases)}
    return Project(
        title=f"{name}: {len(documents):,} documents and {len(cases):,} judged questions, searched by reference_rag.",
        files={
            **lines,
            "corpus/corpus.toml": _manifest(name, {}, "documents.jsonl", lines["corpus/documents.jsonl"]),
            "golden/golden.toml": _manifest(name, {"corpus": identity}, "cases.jsonl", lines["golden/cases.jsonl"]),
        },
        settings=_settings(splits, dense=dense),
        remarks={
            "system.factors.mode": "bm25: words alone; hybrid: with vectors, fused by reciprocal ranks.",
            "system.factors.rerank": "true: reorder the candidates by the words they share with the question.",
            "system.factors.cache_dir": "Vectors by content: only the first run computes them.",
        },
        extras=("reference",),
        notes=tuple(_notes(documents_known={document.doc_id for document in documents}, cases=cases, splits=splits)),
    )


def _settings(splits: Sequence[str], *, dense: bool) -> dict[str, Any]:
    """Return the settings: what the judgements speak of is measured, and of several splits one is asked."""
    chosen = {} if len(splits) < 2 else {"split": _PREFERRED if _PREFERRED in splits else splits[0]}  # noqa: PLR2004 - one of several
    factors: dict[str, Any] = {"corpus": "corpus", "mode": "hybrid" if dense else "bm25", "rerank": False}
    if dense:
        factors["cache_dir"] = ".cache/reference_rag"
    return {
        "corpus": {"path": "corpus"},
        "golden": {"path": "golden", **chosen},
        "system": {"python": "reference_rag:build", "context_size": 4, "factors": factors},
        "metrics": {"include": ["retrieval.*", "context.*", "system.*"]},
        "slices": {"by": [] if len(splits) < 2 or chosen else ["split"]},  # noqa: PLR2004
    }


def _notes(*, documents_known: set[str], cases: Sequence[Case], splits: Sequence[str]) -> Iterable[str]:
    if len(splits) > 1:
        told = {split: sum(case.split == split for case in cases) for split in splits}
        listed = ", ".join(f"{split} ({number:,})" for split, number in told.items())
        yield f"the golden set holds the splits {listed}; [golden] split chooses the one that is asked"
    unknown = sorted({e.doc_id for case in cases for e in case.evidence if e.grade > 0} - documents_known)
    if unknown:
        shown = ", ".join(unknown[:_SHOWN]) + (", ..." if len(unknown) > _SHOWN else "")
        yield f"{len(unknown):,} judged documents are not in corpus.jsonl and can never be found: {shown}"


def _lines(records: Iterable[Record]) -> bytes:
    """Return JSON Lines, leaving out what is at its default."""
    return "".join(f"{record.model_dump_json(exclude_defaults=True, by_alias=True)}\n" for record in records).encode()


def _manifest(name: str, more: Mapping[str, str], file: str, content: bytes) -> bytes:
    """Return a sealed manifest."""
    fields = {"name": name, "version": "1", **more}
    lines = [f"{key} = {toml_value(value)}" for key, value in fields.items()]
    return "\n".join([*lines, "", "[files]", f'"{file}" = "{hash_bytes(content)}"', ""]).encode()
