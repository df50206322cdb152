"""Chunks of any chunker are held against their documents; nothing is repaired, all faults come at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ragtriage.core.chunk_views import PairCosines
from ragtriage.core.errors import BadInput
from ragtriage.core.records import Case, Chunk, Document, Evidence
from ragtriage.core.score import Undefined, Value
from ragtriage.data.chunk_lists import ListedChunk, chunk_faults, placed_chunks, read_chunk_list
from ragtriage.data.chunk_objects import chunks_of_objects
from ragtriage.data.chunk_viewing import ChunkedCorpus, evidence_split_view, sentences_by_chunk
from ragtriage.data.corpus import corpus_of
from ragtriage.metrics.ingest.chunk_attribution import chunk_attribution
from ragtriage.metrics.ingest.evidence_split import evidence_split
from ragtriage.metrics.ingest.hierarchy import hierarchy

LOANS = Document(
    doc_id="loans", text="# Loans\n\n## Rates\n\nThe rate is 5 %.\n\n## Fees\n\nNone. None.", uri="/docs/loans.md"
)
PLAIN = Document(doc_id="plain", text="parrot parrot")
DOCUMENTS = {d.doc_id: d for d in (LOANS, PLAIN)}


def test_repeated_text_gets_its_own_offsets(shared: Callable[[str], Path]) -> None:
    case = json.loads(shared("cases/inputs/B61.json").read_text(encoding="utf-8"))
    documents = {
        "d": Document(doc_id="d", text=case["text"]),
        "also": Document(doc_id="also", text=case["also"]["text"]),
    }
    listed = [ListedChunk(doc_id="d", text="ok ok ok.")] * 3 + [ListedChunk(doc_id="also", text="parrot")] * 2
    chunks = placed_chunks(listed, documents)
    assert [(c.chunk_id, c.start, c.end) for c in chunks] == [
        ("d#0", 0, 9), ("d#1", 10, 19), ("d#2", 20, 29), ("also#0", 0, 6), ("also#1", 7, 13)]  # fmt: skip
    assert chunk_faults(chunks, documents) == []


def test_offsets_that_are_given_hold_the_others_in_place() -> None:
    listed = [ListedChunk(doc_id="plain", text="parrot", start=7), ListedChunk(doc_id="loans", text="None.", start=50)]
    assert [c.start for c in placed_chunks(listed[:1], DOCUMENTS)] == [7]
    third = LOANS.text.rindex("None.")
    chunks = placed_chunks([ListedChunk(doc_id="loans", text="None.", start=third)], DOCUMENTS)
    assert chunks[0].start == third


def test_a_list_in_any_order_is_taken_where_every_chunk_has_its_offsets() -> None:
    listed = [ListedChunk(doc_id="plain", text="parrot", start=at, end=at + 6) for at in (7, 0)]
    assert [c.start for c in placed_chunks(listed, DOCUMENTS)] == [7, 0]


OTHER_SPACE = (
    "chunk 2 of 'loans' stands nowhere in the document, but it does with other white space: list the text as it stands "
    "there: '## Rates The rate is 5 %.'"
)


def test_every_fault_is_named_with_its_document_and_number() -> None:
    listed = [
        ListedChunk(doc_id="plain", text="parrot", start=0),
        ListedChunk(doc_id="plain", text="parrot", start=6),
        ListedChunk(doc_id="plain", text="parrot", start=7, end=12),
        ListedChunk(doc_id="nowhere", text="x"),
        ListedChunk(doc_id="loans", text="The rate is 6 %."),
        ListedChunk(doc_id="loans", text="## Rates The rate is 5 %."),
        ListedChunk(doc_id="loans", text="## Fees"),
        ListedChunk(doc_id="loans", text="# Loans"),
        ListedChunk(doc_id="loans", text=" "),
    ]
    with pytest.raises(BadInput) as raised:
        placed_chunks(listed, DOCUMENTS)
    assert [fault.message for fault in raised.value.faults] == [
        "chunk 2 of 'plain' does not stand at 6: ' parrot' does, not 'parrot'",
        "chunk 3 of 'plain' has 6 characters and cannot reach from 7 to 12",
        "1 chunk names the document 'nowhere', which does not exist",
        "chunk 1 of 'loans' stands nowhere in the document: 'The rate is 6 %.'",
        OTHER_SPACE,
        "chunk 3 of 'loans' stands only before the chunks that come before it in the list: '## Fees'",
        "chunk 5 of 'loans' is empty",
    ]  # fmt: skip


def test_ids_that_stand_twice_are_refused() -> None:
    listed = [ListedChunk(doc_id="plain", text="parrot", chunk_id="a")] * 2
    with pytest.raises(BadInput, match="'a' stands 2 times"):
        placed_chunks(listed, DOCUMENTS)


def test_a_file_of_chunks_is_read_with_broken_lines_named(tmp_path: Path) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_text('{"doc_id": "plain", "text": "parrot"}\n{"doc_id": "plain", "text": "parrot", "page": 2}\n')
    assert [(c.start, c.page) for c in read_chunk_list(path, DOCUMENTS)] == [(0, None), (7, 2)]
    path.write_text('{"doc_id": "plain"}\n{"doc_id": "plain", "text": "parrot", "begin": 2}\n')
    with pytest.raises(BadInput, match=r"chunks.jsonl:1: 'text' is missing\n.*:2: 'begin' is no known field"):
        read_chunk_list(path, DOCUMENTS)


def test_what_holds_for_chunks_is_checked_law_by_law() -> None:
    def chunk(start: int, text: str, doc_id: str = "plain") -> Chunk:
        return Chunk(chunk_id=f"c{start}", doc_id=doc_id, start=start, end=start + len(text), text=text)

    found = [
        f.message
        for f in chunk_faults([chunk(7, "parrot"), chunk(0, "par"), chunk(1, "x"), chunk(0, "y", "e")], DOCUMENTS)
    ]
    assert found == [
        f"'loans': no chunk holds {LOANS.text[:39] + '…'!r} at [0, {len(LOANS.text)})",
        "chunk 3 of 'plain' says [1, 2), where 'a' stands, not 'x'",
        "chunk 2 of 'plain' begins at 0, not behind 7, where the one before it begins",
        "'plain': no chunk holds 'rot' at [3, 6)",
        "1 chunk names the document 'e', which does not exist",
    ]


def test_langchain_documents_are_read_by_their_shape() -> None:
    langchain = pytest.importorskip("langchain_core.documents", reason="needs langchain-core")
    made = [
        langchain.Document(
            "The rate is 5 %.", metadata={"source": "/docs/loans.md", "Header 1": "Loans", "Header 2": "Rates"}
        ),
        langchain.Document("None.", metadata={"source": "/docs/loans.md", "start_index": 46, "page": 3}),
        langchain.Document("None.", metadata={"source": "/docs/loans.md", "start_index": -1, "tags": {"a"}}),
        langchain.Document("parrot", metadata={"doc_id": "plain"}),
        langchain.Document("parrot", metadata={"doc_id": "plain"}),
    ]
    assert LOANS.text[46:51] == "None."
    chunks = chunks_of_objects(made, DOCUMENTS.values())
    assert [(c.doc_id, c.start, c.page, c.section_path) for c in chunks] == [
        ("loans", 19, None, ("Loans", "Rates")), ("loans", 46, 3, ()), ("loans", 52, None, ()),
        ("plain", 0, None, ()), ("plain", 7, None, ()),
    ]  # fmt: skip
    assert chunks[2].metadata["tags"] == "{'a'}"


class NodeRelationship(StrEnum):
    """The part of LlamaIndex's enum that tells the document of a node."""

    SOURCE = "1"
    PREVIOUS = "2"


def node(text: str, start: int | None = None, *, source: str | None = "loans", **fields: Any) -> SimpleNamespace:
    """A stand-in of LlamaIndex's TextNode: text, offsets, relationships to RelatedNodeInfo, id and metadata."""
    related = {} if source is None else {NodeRelationship.SOURCE: SimpleNamespace(node_id=source)}
    related[NodeRelationship.PREVIOUS] = SimpleNamespace(node_id="plain")
    end = None if start is None else start + len(text)
    return SimpleNamespace(
        **{
            "text": text, "start_char_idx": start, "end_char_idx": end, "relationships": related, "metadata": {},
            "node_id": f"n-{len(text)}-{start}", "get_content": lambda: text, "ref_doc_id": None,
        } | fields
    )  # fmt: skip


def test_llamaindex_nodes_are_read_by_their_shape() -> None:
    made = [
        node("## Rates\n\nThe rate is 5 %.", metadata={"header_path": "/Loans/", "page_label": "7"}),
        SimpleNamespace(node=node("None.", 46), score=0.5),
        node("parrot", 7, source=None, ref_doc_id="plain"),
    ]
    chunks = chunks_of_objects(made, DOCUMENTS.values())
    assert [(c.doc_id, c.start, c.page, c.section_path) for c in chunks] == [
        ("loans", 9, 7, ("Loans", "Rates")), ("loans", 46, None, ()), ("plain", 7, None, ())]  # fmt: skip
    assert chunks[1].chunk_id == "n-5-46"


def test_objects_of_another_shape_or_of_no_known_document_are_all_named() -> None:
    made = [object(), node("None.", source="other"), SimpleNamespace(page_content="x", metadata={"source": "y"})]
    with pytest.raises(BadInput) as raised:
        chunks_of_objects(made, DOCUMENTS.values())
    assert [f.message for f in raised.value.faults] == [
        "chunk 1 is a object; a LangChain document or a LlamaIndex node was expected",
        "chunk 2 names no document of the corpus. Its metadata: ",
        "chunk 3 names no document of the corpus. Its metadata: source='y'",
    ]


def test_the_only_document_need_not_be_named() -> None:
    piece = SimpleNamespace(page_content="parrot", metadata={})
    assert [c.start for c in chunks_of_objects([piece, piece], [PLAIN])] == [0, 7]
    with pytest.raises(BadInput, match="names no document"):
        chunks_of_objects([piece], DOCUMENTS.values())


def test_chunks_become_views_of_attribution_and_hierarchy() -> None:
    corpus = corpus_of(DOCUMENTS.values())
    good = Chunk(chunk_id="a", doc_id="loans", start=9, end=35, text=LOANS.text[9:35], section_path=("Loans", "Rates"))
    bare = good.model_copy(update={"chunk_id": "b", "section_path": ()})
    lost = Chunk(chunk_id="c", doc_id="loans", start=0, end=6, text="parrot", section_path=("Loans",))
    moved = good.model_copy(update={"chunk_id": "d", "start": 8})
    free = Chunk(chunk_id="e", doc_id="plain", start=7, end=13, text="parrot")
    chunked = ChunkedCorpus(corpus, (good, bare, lost, moved, free))
    assert [chunk_attribution(chunked.attribution_view(c)) for c in chunked.chunks] == [
        Value(v, 1) for v in (1.0, 0.0, 0.0, 0.0, 1.0)]  # fmt: skip
    scores = [[hierarchy(chunked.hierarchy_view(c), of=part) for c in chunked.chunks] for part in ("document", "path")]  # type: ignore[arg-type]
    assert scores[0] == [Value(v, 1) for v in (1.0, 1.0, 0.0, 1.0, 1.0)]
    assert scores[1][:3] == [Value(1.0, 1), Value(0.0, 1), Value(0.0, 1)]
    assert isinstance(scores[1][3], Undefined)
    assert scores[1][4] == Value(1.0, 1)


def test_evidence_of_a_case_is_held_against_the_chunks_without_white_space_at_its_ends() -> None:
    corpus = corpus_of(DOCUMENTS.values())
    case = Case(
        case_id="q", question="?", evidence=(Evidence(doc_id="plain", start=6, end=13), Evidence(doc_id="loans"),
                                             Evidence(doc_id="plain", start=0, end=13, grade=0)))  # fmt: skip
    spans = {"plain": ((0, 6), (7, 13))}
    assert evidence_split(evidence_split_view(case, corpus, spans)) == Value(0.0, 1)
    assert evidence_split(evidence_split_view(case, corpus, {})) == Value(1.0, 1)
    assert isinstance(evidence_split(evidence_split_view(case, corpus, None)), Undefined)


def test_a_sentence_belongs_to_every_chunk_that_holds_half_of_it() -> None:
    text = "Abcdefgh. Abcdefgh."
    assert sentences_by_chunk(text, [(0, 4), (4, 14), (14, 19)]) == (("Abcdefgh.",) * 2, ((), (0,), (1,)))
    assert sentences_by_chunk("", []) == ((), ())


def test_the_sentences_of_all_documents_are_embedded_at_once_and_stay_with_their_chunks() -> None:
    asked: list[list[str]] = []
    rows = {"a": [[1, 0], [2, 0], [0, 1]], "b": [[1, 0], [0, 1], [0, 5]]}  # One. Two. | Three.

    def embed(texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        asked.append(list(texts))
        return np.array([*rows["a"], *rows["b"]], dtype=np.float64)

    text = "One. Two. Three."
    chunks = tuple(
        Chunk(chunk_id=f"{d}{a}", doc_id=d, start=a, end=b, text=text[a:b])
        for d in ("a", "b", "unknown")
        for a, b in ((0, 9), (10, 16))
    )
    corpus = corpus_of([Document(doc_id=d, text=text) for d in "ab"])
    views = ChunkedCorpus(corpus, chunks).sentences_views(embed)
    assert asked == [["One.", "Two.", "Three."] * 2]
    assert {d: (v.every, v.adjacent) for d, v in views.items()} == {
        "a": (PairCosines(1, 1, 0, 2), PairCosines(1, 1, 0, 1)),
        "b": (PairCosines(0, 1, 1, 2), PairCosines(0, 1, 1, 1)),
    }
