"""Folders of documents and their stems."""

from __future__ import annotations

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.data.document_folders import find_documents


def test_the_stem_is_the_path_below_the_folder_without_the_suffix(tmp_path):
    for name in ("b.txt", "a/b.v1.html", "a/c.md", ".hidden.txt", ".git/x.txt", "scan.pdf", "a/scan.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = find_documents(tmp_path)
    assert list(found.documents) == ["a/b.v1", "a/c", "b"]
    assert found.documents["b"] == tmp_path / "b.txt"
    assert found.others == 2


def test_two_files_of_one_stem_are_all_named(tmp_path):
    for name in ("a.txt", "a.md", "a.html", "b.txt", "b.md", "c.txt"):
        (tmp_path / name).write_text("x")
    with pytest.raises(BadInput) as caught:
        find_documents(tmp_path)
    assert "a.html: the stem 'a' is also that of a.md, a.txt" in str(caught.value)
    assert "b.md: the stem 'b' is also that of b.txt" in str(caught.value)
    assert "'c'" not in str(caught.value)


def test_no_folder_and_an_empty_one_are_errors(tmp_path):
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(BadInput):
            find_documents(path)


def test_names_that_look_the_same_are_one_stem(tmp_path):
    for folder, name in (("a", "cafe\u0301.txt"), ("b", "caf\u00e9.txt")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text("x")
    assert find_documents(tmp_path / "a").documents.keys() == find_documents(tmp_path / "b").documents.keys()
