"""A long wait shows how far it is: a bar on a terminal, a line every 10 % elsewhere."""

from __future__ import annotations

import io
import sys

import pytest

from reference_rag.progress import progress_over


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_pipe_gets_a_line_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress_over(range(40), sizes=[1] * 40, what="work")) == list(range(40))
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"work: {n}/40 ({n * 100 // 40} %)" for n in range(4, 41, 4)]


def test_nothing_to_do_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress_over([], sizes=[], what="work")) == []
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("ci", [True, False])
def test_a_terminal_gets_a_bar_unless_it_is_ci(ci: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001 - a parameter of the test
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("CI", raising=False)
    if ci:
        monkeypatch.setenv("CI", "true")
    assert list(progress_over("ab", sizes=[3, 1], what="work")) == ["a", "b"]
    assert ("work: 3/4 (70 %)" in terminal.getvalue()) is ci
    assert ("━" in terminal.getvalue()) is not ci
