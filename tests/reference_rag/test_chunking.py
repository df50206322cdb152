"""Chunks stand where they say they stand."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.records import Chunk, Document
from ragtriage.data.chunk_lists import chunk_faults
from ragtriage.data.corpus import read_corpus
from reference_rag.blocks import blocks_of
from reference_rag.chunking import CHUNKERS, cut
from reference_rag.chunking_plain import chunk_fixed, chunk_page, chunk_recursive
from reference_rag.chunking_semantic import chunk_semantic
from reference_rag.chunking_structural import chunk_structural
from reference_rag.dense import LatentSemantics
from reference_rag.settings import read_settings

PIECES = ("ok", " ", "\n", "\n\n", ". ", "# Head\n", "## Sub\n", "| a | b |\n", "|---|---|\n", "- item\n", "1) one\n",
          "```\n", "слово", "日本語", "e\u0301", "parrot", "\u00a0", "\u2028", "\r\n", "19,5 %", "x" * 30,
          "\f")  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def made(text: str) -> Document:
    return Document(doc_id="d", text=text)


class Letters:
    """An embedder without a model: how often each of eight letters comes."""

    model = "letters"

    def passages(self, texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        return np.array([[text.count(c) for c in "aeiorstп"] for text in texts], dtype=np.float32).reshape(-1, 8)

    def more(self, texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        return self.passages(texts)

    def query(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        return self.passages([text])[0]


def check(text: str, chunks: tuple[Chunk, ...]) -> None:
    covered = {at for c in chunks for at in range(c.start, c.end)}
    assert all(text[c.start : c.end] == c.text for c in chunks)
    assert all(a.start < b.start for a, b in itertools.pairwise(chunks))
    assert {at for at, c in enumerate(text) if not c.isspace()} <= covered
    assert [c.chunk_id for c in chunks] == [f"d#{n}" for n in range(len(chunks))]
    assert all(c.text == c.text.strip() != "" for c in chunks)


@pytest.mark.parametrize("chunker", CHUNKERS.values(), ids=CHUNKERS)
@settings(max_examples=150, deadline=None)
@given(text=TEXTS, size=st.integers(1, 60), share=st.floats(0, 0.99))
def test_offsets_are_true_starts_increase_and_nothing_is_lost(
    chunker: Callable[..., tuple[Chunk, ...]], text: str, size: int, share: float
) -> None:
    chunks = chunker(made(text), size=size, overlap=math.floor(size * share))
    check(text, chunks)
    assert chunks == chunker(made(text), size=size, overlap=math.floor(size * share))


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3), size=st.integers(1, 60), percentile=st.floats(0, 100))
def test_semantic_chunks_obey_the_same_laws(texts: list[str], size: int, percentile: float) -> None:
    documents = [Document(doc_id="d", text=text) for text in texts]
    made = chunk_semantic(documents, size=size, embedder=Letters(), percentile=percentile)
    assert len(made) == len(texts)
    for text, chunks in zip(texts, made, strict=True):
        check(text, chunks)
        assert all(len(c.text) <= size for c in chunks)


@settings(max_examples=100, deadline=None)
@given(text=TEXTS, size=st.integers(2, 60))
def test_recursive_chunks_stay_within_the_size(text: str, size: int) -> None:
    assert all(len(c.text) <= size for c in chunk_recursive(made(text), size=size, overlap=size // 2))


@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_blocks_hold_every_character_but_white_space_once(text: str) -> None:
    blocks = blocks_of(text)
    inside = [at for b in blocks for at in range(b.start, b.end)]
    assert len(inside) == len(set(inside))
    assert {at for at, c in enumerate(text) if not c.isspace()} <= set(inside)


def test_repeated_text_gets_the_offsets_of_its_own_place(shared: Callable[[str], Path]) -> None:
    case = json.loads(shared("cases/inputs/B61.json").read_text(encoding="utf-8"))
    chunks = chunk_recursive(made(case["text"]), size=case["chunk_chars"], overlap=case["overlap"])
    assert [c.start for c in chunks] == [0, 10, 20]
    check(case["text"], chunks)
    also = case["also"]
    twice = chunk_recursive(made(also["text"]), size=also["chunk_chars"], overlap=also["overlap"])
    assert [(c.start, c.text) for c in twice] == [(0, "parrot"), (7, "parrot")]


def test_an_overlap_repeats_whole_words_of_the_chunk_before() -> None:
    chunks = chunk_recursive(made("one two three four five six"), size=14, overlap=6)
    assert [c.text for c in chunks] == ["one two three", "three four", "four five six"]


def test_an_abstract_of_1500_characters_is_one_chunk() -> None:
    abstract = "A sentence of an abstract that goes on for a while. " * 29
    assert 1500 < len(abstract) < 1550
    assert len(chunk_structural(made(abstract), size=2048)) == 1


def test_a_paragraph_that_does_not_fit_is_cut_into_even_parts_at_sentences() -> None:
    text = "This is one sentence of forty letters ok. " * 90
    chunks = chunk_structural(made(text.strip()), size=2048)
    assert len(chunks) == 2
    assert all(c.text.endswith("ok.") for c in chunks)
    assert abs(len(chunks[0].text) - len(chunks[1].text)) < 500


def test_a_text_that_is_a_little_too_long_stays_whole() -> None:
    assert len(chunk_structural(made("word " * 600), size=2048)) == 1
    assert len(chunk_recursive(made("word " * 600), size=2048)) == 2


def test_a_section_is_a_chunk_that_knows_its_headings_and_a_bare_heading_goes_with_the_next() -> None:
    text = "# Loans\n\n## Rates\n\nThe rate is 5 %.\n\n## Fees\n\n- one\n- two\n\n# Cards\n\nNone."
    chunks = chunk_structural(made(text), size=100)
    assert [c.section_path for c in chunks] == [("Loans", "Rates"), ("Loans", "Fees"), ("Cards",)]
    assert chunks[0].text.startswith("# Loans")


def test_small_sections_under_one_heading_are_one_chunk_and_those_under_another_are_not() -> None:
    text = "# Loans\n\n## Rates\n\nThe rate is 5 %.\n\n## Fees\n\n- one\n- two\n\n# Cards\n\nNone."
    chunks = chunk_structural(made(text), size=400)
    assert [c.section_path for c in chunks] == [("Loans",), ("Cards",)]
    long = "# Loans\n\n" + "\n\n".join(f"## Part {n}\n\n" + "word " * 12 for n in range(9))
    assert all(len(c.text) <= 100 for c in chunk_structural(made(long), size=400))


def test_a_table_stays_whole_where_it_fits_and_is_cut_between_rows_with_its_head_where_not() -> None:
    rows = [f"| row {n} | {n} % |" for n in range(10)]
    table = "\n".join(["| name | rate |", "|---|---|", *rows])
    text = f"# T\n\nWords before the table that fill some room.\n\n{table}\n\nWords behind."
    whole = chunk_structural(made(text), size=len(table) + 20)
    assert any(table in c.text for c in whole)
    cut = [c for c in chunk_structural(made(text), size=80) if "row" in c.text]
    assert len(cut) > 1
    assert all(line in table.split("\n") for c in cut for line in c.text.split("\n") if line.startswith("|"))
    assert [c.metadata.get("table_head") for c in cut] == [None] + ["| name | rate |\n|---|---|"] * (len(cut) - 1)


def test_headings_inside_a_code_block_open_no_section() -> None:
    chunks = chunk_structural(made("# A\n\n```\n# not a heading\n```\n\nText."), size=200)
    assert [c.section_path for c in chunks] == [("A",)]


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (5, 5), (5, -1)])
def test_a_size_or_overlap_that_makes_no_sense_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="0 <= overlap < size"):
        chunk_recursive(made("x"), size=size, overlap=overlap)


def test_a_document_with_the_longest_name_has_chunks_with_names_of_their_own() -> None:
    chunks = [c for end in "ab" for c in chunk_recursive(Document(doc_id="n" * 255 + end, text="one two"), size=3)]
    assert len({c.chunk_id for c in chunks}) == 4


BANK = Path(__file__).parents[2] / "examples" / "bank" / "corpus"


@pytest.mark.parametrize("size", [32, 128, 512])
@pytest.mark.parametrize("chunker", ["fixed", "page", "recursive", "structural", "semantic"])
def test_every_strategy_holds_the_laws_on_the_bank_in_four_languages(chunker: str, size: int) -> None:
    documents = read_corpus(BANK).documents
    assert {d.language for d in documents.values()} >= {"en", "ru", "uk", "kk"}
    overlap = 0 if chunker == "semantic" else size // 5
    factors = read_settings({"chunker": chunker, "chunk_size": size, "overlap": overlap})
    chunks = cut(tuple(documents.values()), factors, sentence_embedder=Letters, contextualiser=None)
    assert chunk_faults(chunks, documents) == []
    assert len({c.chunk_id for c in chunks}) == len(chunks)


def test_fixed_chunks_cut_anywhere_between_words_and_repeat_the_last_of_them() -> None:
    text = "One ends here. Two ends here. Three."
    assert [c.text for c in chunk_fixed(made(text), size=20)] == ["One ends here. Two", "ends here. Three."]
    assert [c.text for c in chunk_fixed(made(text), size=20, overlap=5)] == [
        "One ends here. Two", "Two ends here.", "here. Three."]  # fmt: skip


def test_a_page_is_a_chunk_with_its_number_whatever_its_length() -> None:
    text = "# A\n\nfirst page " + "word " * 30 + "\f\f \fthe fourth"
    chunks = chunk_page(made(text), size=10)
    assert [(c.page, c.section_path) for c in chunks] == [(1, ("A",)), (4, ("A",))]
    check(text, chunks)
    assert [c.page for c in chunk_page(made("one two three"), size=7)] == [None, None]


def test_semantic_chunks_are_cut_where_the_subject_changes() -> None:
    fees = "The card fee is due. A fee of the card is due. Each card fee is due."
    rain = "Rain will pour over hills. Over hills rain will pour. Hills pour with rain."
    [chunks] = chunk_semantic([made(f"{fees} {rain}")], size=400, embedder=LatentSemantics(seed=0), percentile=10)
    assert [c.text for c in chunks] == [fees, rain]
    [whole] = chunk_semantic([made(f"{fees} {rain}")], size=400, embedder=LatentSemantics(seed=0), percentile=0)
    assert len(whole) == 1


def test_a_semantic_chunk_that_is_too_long_is_cut_at_its_least_alike_place_and_a_heading_stays_with_its_text() -> None:
    fees = "The card fee is due. A fee of the card is due. Each card fee is due."
    text = f"# Weather\n\nRain will pour over hills. Over hills rain will pour.\n\n# Fees\n\n{fees}"
    [chunks] = chunk_semantic([made(text)], size=100, embedder=LatentSemantics(seed=0), percentile=0)
    assert [c.section_path for c in chunks] == [("Weather",), ("Fees",)]


def test_a_chunk_over_two_sections_names_the_headings_that_all_of_it_stands_under() -> None:
    text = "# A\n\n## B\n\nOne.\n\n## C\n\nTwo."
    assert [c.section_path for c in chunk_recursive(made(text), size=100)] == [("A",)]
    assert [c.section_path for c in chunk_fixed(made(text), size=15)] == [("A", "B"), ("A", "C")]


@pytest.mark.parametrize(("size", "percentile"), [(0, 10), (10, -1), (10, 101)])
def test_a_semantic_size_or_percentile_that_makes_no_sense_is_refused(size: int, percentile: float) -> None:
    with pytest.raises(ValueError, match="percentile in"):
        chunk_semantic([made("x")], size=size, embedder=Letters(), percentile=percentile)
