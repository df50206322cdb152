"""Judgements and runs in whatever rank file they come: TREC text, BEIR tables, Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragtriage.core.files import read_lines
from ragtriage.data.rankings import Judgements, RankedRun, Vocabulary
from ragtriage.data.sources import beir, rank_table, trec

__all__ = ["read_judgements", "read_run"]

_BEIR_FIELDS = 3


def read_judgements(path: Path, *, documents: Vocabulary, grade_map: Mapping[str, int] | None = None) -> Judgements:
    """Read judgements: Parquet by its suffix, BEIR by its three columns and heading, else TREC; raises BadInput."""
    if path.suffix == ".parquet":
        return rank_table.read_judgements(path, documents=documents, grade_map=grade_map)
    first = next((text for _, text in read_lines(path) if not text.startswith("#")), "")
    reader = beir.read_judgements if len(first.split()) == _BEIR_FIELDS else trec.read_judgements
    return reader(path, documents=documents, grade_map=grade_map)


def read_run(path: Path, *, documents: Vocabulary, need_rank: bool = False) -> RankedRun:
    """Read a run: Parquet by its suffix, else TREC; raises BadInput."""
    reader = rank_table.read_run if path.suffix == ".parquet" else trec.read_run
    return reader(path, documents=documents, need_rank=need_rank)
