"""The chunks that a system lists: whole records as they are, all else held against the corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document as LangChainDocument

from ragtriage.core.errors import BadInput
from ragtriage.core.records import Chunk, Document
from ragtriage.data.chunk_lists import ListedChunk
from ragtriage.runs.systems.listed import chunks_of, read_chunks
from ragtriage.runs.systems.python import load_python, wrap_callable

TEXT = "The fee is 1 %. The fee is 1 %. It is due at once."
CORPUS = {"fees": Document(doc_id="fees", text=TEXT, uri="https://bank.example/fees")}
WRONG = {"chunk_id": "a", "doc_id": "fees", "start": 3, "end": 6, "text": "The fee"}


def write(folder: Path, *lines: Any) -> Path:
    path = folder / "chunks.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def places(chunks: tuple[Chunk, ...] | None) -> list[tuple[str, int, int]]:
    return [(chunk.chunk_id, chunk.start, chunk.end) for chunk in chunks or ()]


def test_a_file_of_whole_records_is_taken_as_it_is_so_that_it_can_be_measured(tmp_path: Path) -> None:
    path = write(tmp_path, WRONG, {**WRONG, "chunk_id": "b", "doc_id": "nowhere"})
    assert places(read_chunks(path, CORPUS)) == [("a", 3, 6), ("b", 3, 6)] == places(read_chunks(path, None))


def test_a_file_without_offsets_is_placed_in_the_corpus(tmp_path: Path) -> None:
    path = write(tmp_path, {"doc_id": "fees", "text": "The fee is 1 %."}, {"doc_id": "fees", "text": TEXT[16:]})
    assert places(read_chunks(path, CORPUS)) == [("fees#0", 0, 15), ("fees#1", 16, len(TEXT))]
    with pytest.raises(BadInput, match=r"chunks.jsonl:1: 'chunk_id' is missing"):
        read_chunks(path, None)


def test_what_cannot_be_placed_is_told_for_all_chunks_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"doc_id": "fees", "text": "The fee is 2 %."},
        {"doc_id": "rates", "text": "The rate."},
        {"doc_id": "fees", "text": "due", "start": 3},
    )
    with pytest.raises(BadInput) as told:
        read_chunks(path, CORPUS)
    for said in ("chunk 1 of 'fees' stands nowhere", "'rates', which does not exist", "chunk 2 of 'fees' does not"):
        assert said in str(told.value)


def test_broken_lines_are_told_with_their_numbers(tmp_path: Path) -> None:
    path = write(tmp_path, {"doc_id": "fees"}, {**WRONG, "begin": 1}, WRONG, WRONG)
    with pytest.raises(BadInput) as told:
        read_chunks(path, CORPUS)
    for said in (":1: 'text' is missing", ":2: 'begin' is no known field"):
        assert said in str(told.value)
    whole = write(tmp_path, WRONG, {**WRONG, "end": "x"}, WRONG)
    with pytest.raises(BadInput) as told:
        read_chunks(whole, CORPUS)
    for said in (":2: 'end' ", "'a' stands in lines 1, 2, 3"):
        assert said in str(told.value)


def test_a_system_may_list_what_langchain_cut() -> None:
    cut = [
        LangChainDocument("The fee is 1 %.", metadata={"source": "https://bank.example/fees", "start_index": 16}),
        LangChainDocument("It is due at once.", metadata={"source": "fees"}),
    ]
    listed = wrap_callable(Answering(cut), what="mine", documents=CORPUS).chunks
    assert places(listed) == [("fees#0", 16, 31), ("fees#1", 32, 50)]
    with pytest.raises(BadInput, match=r"chunks\(\) of 'mine': item 0 is a Document and no chunk.*\[corpus\] path"):
        wrap_callable(Answering(cut), what="mine")


class Answering:
    """A system that lists something."""

    def __init__(self, listed: list[Any]) -> None:
        self._listed = listed

    def __call__(self, _: object) -> str:
        return "1 %"

    def chunks(self) -> list[Any]:
        return self._listed


def test_a_system_may_list_dictionaries_without_places() -> None:
    listed = [{"doc_id": "fees", "text": "The fee is 1 %."}, ListedChunk(doc_id="fees", text=TEXT[16:])]
    assert places(chunks_of(lambda: listed, "mine", CORPUS)) == [("fees#0", 0, 15), ("fees#1", 16, 50)]
    assert places(chunks_of(lambda: [WRONG, Chunk(**WRONG)], "mine", CORPUS)) == [("a", 3, 6)] * 2
    assert chunks_of(lambda: None, "mine", CORPUS) is None
    assert chunks_of(lambda: iter(()), "mine", CORPUS) == ()


@pytest.mark.parametrize(
    ("listed", "corpus", "told"),
    [
        ([{"doc_id": "fees"}, {"text": 3}], CORPUS, ["item 0: 'text' is missing", "item 1: 'doc_id' is missing"]),
        ([{"doc_id": "fees", "text": "x"}], None, ["item 0: 'chunk_id' is missing", "item 0: 'start' is missing"]),
        (["The fee"], CORPUS, ["chunk 1 is a str; a LangChain document or a LlamaIndex node was expected"]),
        ([LangChainDocument("x", metadata={"source": "?"}), 3], CORPUS, ["chunk 1 names no document", "chunk 2 is a"]),
        ([LangChainDocument("The cat.", metadata={"source": "fees"})], CORPUS, ["chunk 1 of 'fees' stands nowhere"]),
    ],
)
def test_every_fault_of_a_listing_names_the_system(listed: list[Any], corpus: Any, told: list[str]) -> None:
    with pytest.raises(BadInput) as error:
        chunks_of(lambda: listed, "mine", corpus)
    assert "chunks() of 'mine' has" in str(error.value)
    for said in told:
        assert said in str(error.value)


def test_a_module_lists_for_its_callable(tmp_path: Path) -> None:
    (tmp_path / "listing_rag.py").write_text(
        "def answer(question):\n    return 'x'\n"
        "def chunks():\n    return [{'doc_id': 'fees', 'text': 'It is due at once.'}]\n"
    )
    loaded = load_python("listing_rag:answer", base=tmp_path, factors=None, documents=CORPUS)
    assert places(loaded.chunks) == [("fees#0", 32, 50)]
