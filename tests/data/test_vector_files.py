"""Vectors read from NumPy, JSON Lines and Parquet, and every fault in them."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pytest

from ragtriage.core.errors import BadInput
from ragtriage.data.vector_files import VectorSet, read_vectors

TABLE = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)


def test_the_same_vectors_come_from_every_format(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", TABLE.astype(np.float64))
    (tmp_path / "ids.txt").write_text("a\nb\n")
    (tmp_path / "v.jsonl").write_text('{"id": "a", "vector": [1, 2], "note": "x"}\n{"id": "b", "vector": [3.0, 4.0]}\n')
    target = tmp_path / "v.parquet"
    rows = "SELECT 'a' AS id, [1.0, 2.0]::FLOAT[] AS vector UNION ALL SELECT 'b', [3.0, 4.0]"
    duckdb.execute(f"COPY ({rows}) TO '{target}'")
    found = [
        read_vectors(tmp_path / "v.npy", ids=tmp_path / "ids.txt"),
        read_vectors(tmp_path / "v.jsonl"),
        read_vectors(target),
    ]
    for one in found:
        assert one.ids == ("a", "b")
        assert one.vectors.dtype == np.float32
        assert np.array_equal(one.vectors, TABLE)
    assert [one.identity for one in found] == ["v.npy", "v.jsonl", "v.parquet"]
    assert read_vectors(tmp_path / "v.npy").ids == ("0", "1")


def test_every_fault_of_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    lines = [
        '{"id": "a", "vector": [1, 2]}', '{"id": "a", "vector": [1, 2]}', '{"id": "c", "vector": [1]}', "[1]", "{",
        '{"id": "d", "vector": [1, "2"]}', '{"id": "e", "vector": []}', '{"id": 3, "vector": [1, 2]}',
        '{"id": "f", "vector": [1, NaN]}', '{"id": "g", "vector": [1, true]}',
    ]  # fmt: skip
    path.write_text("\n".join(lines))
    with pytest.raises(BadInput) as error:
        read_vectors(path)
    assert [fault.line for fault in error.value.faults] == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    text = str(error.value)
    assert "9 faults" in text
    assert "the id 'a' stands in line 1 already" in text
    assert "'vector' has 1 numbers and those before it 2" in text


@pytest.mark.parametrize(
    "table", [np.zeros(3), np.zeros((2, 2), dtype=complex), np.array([["a"]]), np.array([[1.0], [np.inf]])]
)
def test_a_numpy_file_that_is_no_table_of_finite_numbers_is_refused(tmp_path: Path, table: np.ndarray) -> None:
    np.save(tmp_path / "v.npy", table)
    with pytest.raises(BadInput, match=r"v\.npy"):
        read_vectors(tmp_path / "v.npy")


def test_pickles_archives_and_noise_are_never_loaded(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    with pytest.raises(BadInput, match="no table of numbers"):
        read_vectors(tmp_path / "v.npy")
    np.savez(tmp_path / "z.npz", TABLE)
    (tmp_path / "z.npz").rename(tmp_path / "v.npy")
    with pytest.raises(BadInput, match="must hold one table"):
        read_vectors(tmp_path / "v.npy")
    for content in (b"", b"noise"):
        (tmp_path / "v.npy").write_bytes(content)
        with pytest.raises(BadInput, match="no table of numbers"):
            read_vectors(tmp_path / "v.npy")


def test_ids_have_to_fit(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", TABLE)
    ids = tmp_path / "ids.txt"
    ids.write_text("a\n")
    with pytest.raises(BadInput, match="holds 1 ids for the 2 rows"):
        read_vectors(tmp_path / "v.npy", ids=ids)
    ids.write_text("a\n\na \n")
    with pytest.raises(BadInput, match=r"ids\.txt:3: the id 'a' stands there again"):
        read_vectors(tmp_path / "v.npy", ids=ids)
    (tmp_path / "v.jsonl").write_text(json.dumps({"id": "a", "vector": [1]}))
    with pytest.raises(BadInput, match="a file of ids belongs to"):
        read_vectors(tmp_path / "v.jsonl", ids=ids)
    with pytest.raises(BadInput, match="vectors are read from"):
        read_vectors(tmp_path / "v.bin")
    with pytest.raises(BadInput, match="No such file"):
        read_vectors(tmp_path / "none.npy")
    with pytest.raises(ValueError, match="2 ids need as many rows"):
        VectorSet(("a", "b"), TABLE[:1], "x")


def test_a_parquet_file_without_the_columns_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "v.parquet"
    duckdb.execute(f"COPY (SELECT 'a' AS id) TO '{target}'")
    with pytest.raises(BadInput, match="vector"):
        read_vectors(target)
    duckdb.execute(f"COPY (SELECT NULL::VARCHAR AS id, [1.0, NULL] AS vector) TO '{target}'")
    with pytest.raises(BadInput, match="'id' must be a text"):
        read_vectors(target)


def test_numbers_beyond_single_precision_are_told_where_they_stand(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([[1.0], [1e39]]))
    with pytest.raises(BadInput, match=r"v\.npy:2: holds numbers that are not finite in single precision"):
        read_vectors(tmp_path / "v.npy")
    (tmp_path / "v.jsonl").write_text(f'{{"id": "a", "vector": [-1e39]}}\n{{"id": "b", "vector": [1{"0" * 400}]}}\n')
    with pytest.raises(BadInput) as told:
        read_vectors(tmp_path / "v.jsonl")
    assert [(fault.line, fault.message) for fault in told.value.faults] == [
        (line, "'vector' holds numbers that are not finite in single precision") for line in (1, 2)
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"\x93NUMPY\x01\x00v\x00" + b"((" * 59,
        b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99)}".ljust(118),
        b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (9" + b"9" * 62 + b",1)}",
        b"\x93NUMPY\x01\x00v\x00" + b"{'descr': [[]], 'fortran_order': 1, 'shape': (1,'a')}".ljust(118),
        b"PK\x03\x04garbage",
    ],
)
def test_a_header_that_promises_what_no_memory_holds_or_is_none_is_told(tmp_path, content):
    path = tmp_path / "v.npy"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"v\.npy: is no table of numbers as NumPy writes it"):
        read_vectors(path)
