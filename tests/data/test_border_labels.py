"""Borders are drawn for people, and their labels count for the borders that are still there."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.core.records import Chunk, Document
from ragtriage.core.score import Value
from ragtriage.data.border_labels import labelled_borders, read_border_labels, sampled_borders
from ragtriage.data.chunk_viewing import ChunkedCorpus
from ragtriage.data.corpus import corpus_of
from ragtriage.metrics.ingest.boundary_quality import boundary_quality

TEXT = "One ends. Two ends. Three ends. Four."


def chunked(*cuts: int) -> ChunkedCorpus:
    edges = [0, *cuts, len(TEXT)]
    chunks = tuple(
        Chunk(chunk_id=f"{doc}{a}", doc_id=doc, start=a, end=b, text=TEXT[a:b])
        for doc in ("d", "e")
        for a, b in itertools.pairwise(edges)
    )
    return ChunkedCorpus(corpus_of([Document(doc_id=doc, text=TEXT) for doc in ("d", "e")]), chunks)


def test_a_sample_shows_both_sides_and_can_be_drawn_again() -> None:
    borders = sampled_borders(chunked(10, 20), count=3, seed=7)
    assert borders == sampled_borders(chunked(10, 20), count=3, seed=7)
    assert len({(b.doc_id, b.end) for b in borders}) == 3
    assert all(b.before == TEXT[: b.end] and b.after == TEXT[b.start :] and b.reasonable is None for b in borders)
    assert len(sampled_borders(chunked(10, 20), count=99, seed=7)) == 4
    with pytest.raises(ValueError, match="1 or more"):
        sampled_borders(chunked(10), count=0, seed=1)


def test_labels_count_where_their_border_still_is(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(
        '{"doc_id": "d", "end": 10, "start": 10, "reasonable": true}\n'
        '{"doc_id": "d", "end": 20, "start": 20, "reasonable": false}\n'
        '{"doc_id": "e", "end": 20, "start": 20}\n'
        '{"doc_id": "d", "end": 13, "start": 13, "reasonable": false}\n'
    )
    found = labelled_borders(read_border_labels(path), chunked(10, 20))
    assert (found.unlabelled, found.gone, set(found.views)) == (1, 1, {"d"})
    assert boundary_quality(found.views["d"]) == Value(0.5, support=2)


def test_a_border_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"doc_id": "d", "end": 10, "start": 10, "reasonable": true}\n' * 2)
    with pytest.raises(BadInput, match="stands twice"):
        read_border_labels(path)
