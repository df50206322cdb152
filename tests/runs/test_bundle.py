from __future__ import annotations

from pathlib import Path

import pytest

from ragtriage.runs.bundle import code_of


def test_the_current_folder_is_the_one_of_now_and_not_of_an_earlier_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    (first / "only_here.py").write_text("x = 1\n")
    (second / "only_there.py").write_text("x = 2\n")
    monkeypatch.chdir(first)
    assert code_of("only_here", base=Path()) != "unknown"
    monkeypatch.chdir(second)
    assert code_of("only_there", base=Path()) != "unknown"
    assert code_of("only_here", base=Path()) == "unknown"
