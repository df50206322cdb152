"""Reading and sealing a corpus."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import duckdb
import pytest

from ragtriage.core.errors import BadInput
from ragtriage.core.records import Chunk, Document
from ragtriage.core.tables import write_parquet
from ragtriage.data.corpus import corpus_of, read_corpus, seal_corpus

DOCUMENTS = (
    {"doc_id": "fees-2025", "text": "The fee is 2 %.", "valid_to": "2025-12-31"},
    {"doc_id": "fees-2026", "text": "The fee is 1 %.", "supersedes": "fees-2025", "valid_from": "2026-01-01"},
)


def corpus_at(folder: Path, documents: tuple[dict[str, object], ...] = DOCUMENTS, manifest: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("corpus.toml").write_text('name = "bank" # the bank\nversion = "1"\n' + manifest)
    lines = "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents)
    folder.joinpath("documents.jsonl").write_text(lines, encoding="utf-8")
    return folder


def test_a_corpus_is_read_with_its_name_and_version(tmp_path: Path) -> None:
    corpus = read_corpus(corpus_at(tmp_path))
    assert (corpus.name, corpus.version, corpus.chunks) == ("bank", "1", None)
    assert list(corpus.documents) == ["fees-2025", "fees-2026"]


def test_the_identity_is_that_of_the_content_whatever_the_order_or_the_name(tmp_path: Path) -> None:
    one = read_corpus(corpus_at(tmp_path / "a"))
    other = read_corpus(corpus_at(tmp_path / "b", DOCUMENTS[::-1], manifest='licence = "CC0-1.0"\n'))
    assert one.identity == other.identity
    changed = ({**DOCUMENTS[0], "text": "The fee is 3 %."}, DOCUMENTS[1])
    assert read_corpus(corpus_at(tmp_path / "c", changed)).identity != one.identity


def test_chunks_are_part_of_the_identity() -> None:
    document = Document(doc_id="d", text="abc")
    chunk = Chunk(chunk_id="c", doc_id="d", start=0, end=3, text="abc")
    identities = {
        corpus_of([document]).identity,
        corpus_of([document], chunks=[]).identity,
        corpus_of([document], chunks=[chunk]).identity,
    }
    assert len(identities) == 3


def test_a_sealed_corpus_holds_the_hashes_of_its_files_and_keeps_the_rest_of_the_manifest(tmp_path: Path) -> None:
    folder = corpus_at(tmp_path)
    seal_corpus(folder)
    text = folder.joinpath("corpus.toml").read_text()
    assert text.startswith('name = "bank" # the bank\n')
    assert hashlib.sha256(folder.joinpath("documents.jsonl").read_bytes()).hexdigest() in text
    assert read_corpus(folder).name == "bank"
    seal_corpus(folder)
    assert folder.joinpath("corpus.toml").read_text() == text


def test_a_file_that_changed_after_it_was_sealed_is_refused_and_can_be_sealed_again(tmp_path: Path) -> None:
    folder = corpus_at(tmp_path)
    seal_corpus(folder)
    with folder.joinpath("documents.jsonl").open("a") as stream:
        stream.write('{"doc_id": "new", "text": "x"}\n')
    with pytest.raises(
        BadInput, match=r"corpus\.toml:5: 'files' says that 'documents\.jsonl' has .* the file changed after"
    ):
        read_corpus(folder)
    seal_corpus(folder)
    assert "new" in read_corpus(folder).documents


def test_a_file_that_the_seal_does_not_name_is_refused(tmp_path: Path) -> None:
    folder = corpus_at(tmp_path)
    seal_corpus(folder)
    folder.joinpath("chunks.jsonl").write_text("")
    with pytest.raises(BadInput, match=r"does not name 'chunks\.jsonl', which is used"):
        read_corpus(folder)


@pytest.mark.parametrize("name", ["../outside.jsonl", "/etc/passwd", "a\\b"])
def test_a_seal_cannot_reach_outside_of_its_folder(tmp_path: Path, name: str) -> None:
    hashes = f'[files]\n{json.dumps(name)} = "{"0" * 64}"\n'
    with pytest.raises(BadInput, match="lies outside the folder"):
        read_corpus(corpus_at(tmp_path, manifest=hashes))


def test_every_fault_of_a_corpus_comes_at_once_with_its_line(tmp_path: Path) -> None:
    folder = corpus_at(tmp_path)
    folder.joinpath("documents.jsonl").write_text(
        '{"doc_id": "a", "text": "x", "titel": "T"}\n'
        "\n"
        '{"doc_id": "a", "text": "y"}\n'
        '{"doc_id": " b", "text": "z"}\n'
        "{broken\n"
    )
    with pytest.raises(BadInput) as caught:
        read_corpus(folder)
    lines = [(fault.line, fault.message) for fault in caught.value.faults]
    assert [line for line, _ in lines] == [1, 3, 4, 5]
    assert "Did you mean 'title'?" in lines[0][1]
    assert "stands in lines 1, 3" in lines[1][1]


def test_contradictions_between_documents_are_faults(tmp_path: Path) -> None:
    documents: tuple[dict[str, object], ...] = (
        {"doc_id": "a", "text": "x", "supersedes": "b"},
        {"doc_id": "b", "text": "x", "supersedes": "a"},
        {"doc_id": "fees", "text": "x", "supersedes": "fee"},
        {"doc_id": "d", "text": "x", "valid_from": "2026-01-02", "valid_to": "2026-01-01"},
    )
    with pytest.raises(BadInput) as caught:
        read_corpus(corpus_at(tmp_path, documents))
    messages = {fault.line: fault.message for fault in caught.value.faults}
    assert "supersedes itself" in messages[1]
    assert "supersedes itself" in messages[2]
    assert "Did you mean 'fees'?" in messages[3]
    assert "lies before 'valid_from'" in messages[4]


def test_a_folder_with_no_documents_or_two_files_of_them_is_refused(tmp_path: Path) -> None:
    folder = corpus_at(tmp_path)
    folder.joinpath("documents.parquet").write_bytes(b"")
    with pytest.raises(BadInput, match=r"must hold one of documents\.jsonl and documents\.parquet"):
        read_corpus(folder)
    folder.joinpath("documents.parquet").unlink()
    folder.joinpath("documents.jsonl").unlink()
    with pytest.raises(BadInput, match="Got neither instead"):
        read_corpus(folder)


def test_a_corpus_without_a_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"documents\.jsonl: holds no document"):
        read_corpus(corpus_at(tmp_path, ()))


def test_a_corpus_in_parquet_is_the_same_corpus(tmp_path: Path) -> None:
    lines = corpus_at(tmp_path / "lines")
    folder = tmp_path / "columns"
    folder.mkdir()
    folder.joinpath("corpus.toml").write_text('name = "bank"\nversion = "1"\n')
    source, target = lines / "documents.jsonl", folder / "documents.parquet"
    duckdb.sql(f"COPY (SELECT * FROM read_json_auto('{source}')) TO '{target}' (FORMAT parquet)")  # noqa: S608
    assert read_corpus(folder).identity == read_corpus(lines).identity


def test_parquet_metadata_may_be_json_text_and_faults_name_the_row(tmp_path: Path) -> None:
    folder = tmp_path
    folder.joinpath("corpus.toml").write_text('name = "bank"\n')
    columns = {"doc_id": ["a", "b", "b"], "text": ["x", None, "y"], "metadata": ['{"locale": "kk"}', None, "{"]}
    types = dict.fromkeys(columns, "text")
    write_parquet(folder / "documents.parquet", columns, types)  # type: ignore[arg-type]
    with pytest.raises(BadInput) as caught:
        read_corpus(folder)
    assert [(f.line, f.message.split()[0]) for f in caught.value.faults] == [(2, "'text'"), (3, "'metadata'")]
    write_parquet(folder / "documents.parquet", {n: v[:1] for n, v in columns.items()}, types)  # type: ignore[arg-type]
    assert read_corpus(folder).documents["a"].metadata == {"locale": "kk"}


def test_the_example_bank_is_read(root: Path) -> None:
    corpus = read_corpus(root / "examples/bank/corpus")
    assert len(corpus.documents) >= 50
    assert {d.language for d in corpus.documents.values()} == {"ru", "uk", "kk", "en"}


def test_a_manifest_is_sealed_in_any_form_that_can_be_kept_and_else_left_alone(tmp_path: Path) -> None:
    folder = corpus_at(tmp_path)
    manifest = folder / "corpus.toml"
    manifest.write_bytes(b'name = "bank"\r\n[files]\r\n"documents.jsonl" = "' + b"0" * 64 + b'"\r\n')
    seal_corpus(folder)
    assert read_corpus(folder).name == "bank"
    for text in ('name = "bank"\nfiles = {}\n', 'name = "bank"\ndescription = """a\n[files]\nb"""\n'):
        manifest.write_text(text)
        with pytest.raises(BadInput, match="its form cannot be sealed"):
            seal_corpus(folder)
        assert manifest.read_text() == text


def test_a_fault_of_a_manifest_names_its_line(tmp_path: Path) -> None:
    folder = corpus_at(tmp_path, manifest='# a comment\nlicense = "CC0-1.0"\n[files]\n"documents.jsonl" = "md5"\n')
    with pytest.raises(BadInput) as caught:
        read_corpus(folder)
    assert [fault.line for fault in caught.value.faults] == [6, 4]
    assert "Did you mean 'licence'?" in caught.value.faults[1].message
