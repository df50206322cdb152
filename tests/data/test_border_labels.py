"""Borders are drawn for people, and their labels count for the borders that are still there."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.core.records import Chunk, Document
from ragtriage.core.score import Value
from ragtriage.data.border_labels import BorderLabel, labelled_borders, read_border_labels, sampled_borders
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
    sample = sampled_borders(chunked(10, 20), count=3, seed=7)
    assert sample == sampled_borders(chunked(10, 20), count=3, seed=7)
    assert (len({(b.doc_id, b.end) for b in sample.labels}), sample.borders) == (3, 4)
    assert all(b.before == TEXT[: b.end] and b.after == TEXT[b.start :] for b in sample.labels)
    assert {b.reasonable for b in sample.labels} == {None}
    assert len(sampled_borders(chunked(10, 20), count=99, seed=7).labels) == 4
    with pytest.raises(ValueError, match="1 or more"):
        sampled_borders(chunked(10), count=0, seed=1)


def test_each_border_is_as_likely_as_any_other() -> None:
    """4 borders, 1 of them drawn 2000 times: each 500 times, give or take 5 standard deviations of a binomial."""
    drawn = Counter(
        (b.doc_id, b.end) for seed in range(2000) for b in sampled_borders(chunked(10, 20), count=1, seed=seed).labels
    )
    assert len(drawn) == 4
    assert all(abs(count - 500) < 5 * (2000 * 0.25 * 0.75) ** 0.5 for count in drawn.values())


def test_a_chunk_of_no_document_and_a_document_in_one_chunk_have_no_border() -> None:
    stray = Chunk(chunk_id="x", doc_id="gone", start=0, end=3, text="One")
    whole = ChunkedCorpus(chunked().corpus, (*chunked().chunks, stray, stray.model_copy(update={"start": 3, "end": 6})))
    assert sampled_borders(whole, count=9, seed=1).borders == 0


def test_labels_count_where_their_border_still_is(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(
        '{"doc_id": "d", "end": 10, "start": 10, "reasonable": true}\n'
        '{"doc_id": "d", "end": 20, "start": 20, "reasonable": false}\n'
        '{"doc_id": "e", "end": 20, "start": 20}\n'
        '{"doc_id": "e", "end": 10, "start": 10, "before": "One ends. ", "after": "Two ends", "reasonable": true}\n'
        '{"doc_id": "d", "end": 13, "start": 13, "reasonable": false}\n'
        '{"doc_id": "no document", "end": 10, "start": 10, "reasonable": false}\n'
    )
    found = labelled_borders(read_border_labels(path), chunked(10, 20))
    assert found.gone == 2
    assert {name: boundary_quality(view) for name, view in found.views.items()} == {
        "d": Value(0.5, support=2),
        "e": Value(1.0, support=1),
    }


@pytest.mark.parametrize(("before", "after"), [("Uno ends. ", "Two"), ("ends. ", "Dos ends."), (TEXT, "Two")])
def test_a_label_of_another_text_is_not_believed(before: str, after: str) -> None:
    label = BorderLabel(doc_id="d", end=10, start=10, before=before, after=after, reasonable=True)
    assert labelled_borders([label], chunked(10, 20)).gone == 1


def test_every_sampled_border_is_found_again_where_chunks_overlap_or_leave_gaps() -> None:
    spans = [(0, 12), (8, 20), (22, len(TEXT))]
    pieces = (Chunk(chunk_id=f"{a}", doc_id="d", start=a, end=b, text=TEXT[a:b]) for a, b in spans)
    here = ChunkedCorpus(corpus_of([Document(doc_id="d", text=TEXT)]), tuple(pieces))
    drawn = sampled_borders(here, count=9, seed=3).labels
    assert {(b.end, b.start) for b in drawn} == {(12, 8), (20, 22)}
    said = [label.model_copy(update={"reasonable": True}) for label in drawn]
    assert labelled_borders(said, here).views["d"].reasonable == (True, True)


def test_what_is_wrong_in_a_file_of_labels_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    line = '{"doc_id": "d", "end": 10, "start": 10, "reasonable": true}\n'
    path.write_text(f"{line}\n{line}{line}")
    with pytest.raises(BadInput) as told:
        read_border_labels(path)
    assert [(fault.line, fault.message) for fault in told.value.faults] == [
        (3, "the border of 'd' at 10 stands in line 1 already"),
        (4, "the border of 'd' at 10 stands in line 1 already"),
    ]
    path.write_text("\n")
    with pytest.raises(BadInput, match="holds no border"):
        read_border_labels(path)
