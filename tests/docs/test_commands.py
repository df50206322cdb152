"""Every command that the documentation shows does what is shown, and ends with the code that is said."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.docs.walks import NOT_RUN, README, Folder, Page, not_run, pages, started, walks

WALKS = walks()


def named(walk: tuple[Page, ...]) -> str:
    return walk[-1].name


def shows(printed: str, output: str) -> bool:
    """Whether a page shows an output: the same words, where `...` stands for any or none."""
    rest = " ".join(output.split())
    first, *later = (" ".join(piece.split()) for piece in printed.split("..."))
    if not rest.startswith(first) or (not later and rest != first):
        return False
    rest = rest[len(first) :]
    for piece in later:
        place = rest.rfind(piece) if piece is later[-1] else rest.find(piece)
        if place < 0:
            return False
        rest = rest[place + len(piece) :]
    return not rest or later[-1] == ""


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        ("a b", True),
        ("a", False),
        ("a ...", True),
        ("... b", True),
        ("...a...", True),
        ("b ...", False),
        ("a c", False),
    ],
)
def test_an_output_is_shown_with_what_is_left_out(printed: str, *, same: bool) -> None:
    assert shows(printed, "a\n  b\n") is same


def follow(page: Page, folder: Folder) -> None:
    for block in page.blocks:
        if block.title is not None:
            folder.write(block.title, block.content)
        elif block.language == "python" and page.path != README:
            folder.script(block.where, block.content)
        if block.language == "yaml" and not (folder.path / "base").exists():
            folder.check_out("base")
        commands = [(line, printed) for line, printed in block.commands() if not_run(line) is None]
        for place, (line, printed) in enumerate(commands, start=1):
            code, output = folder.run(line)
            wanted = block.exit_code if place == len(commands) else 0
            assert code == wanted, f"{block.where}: {line}: ended with {code} and not with {wanted}:\n{output}"
            same = not printed or shows(printed, output)
            assert same, f"{block.where}: {line}: the page says\n{printed}\n\nand it prints\n{output}"


@pytest.mark.parametrize("walk", WALKS, ids=named)
def test_a_page_can_be_followed(
    walk: tuple[Page, ...], tmp_path: Path, shared: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a page may change a module within a second
    folder = started(walk, tmp_path)
    for page in walk:
        for name in page.notes.get("needs", "").split():
            (tmp_path / Path(name).name).symlink_to(shared(name))
    try:
        for page in walk:
            follow(page, folder)
    finally:
        folder.close()


def test_each_page_with_commands_is_followed() -> None:
    followed = {page for walk in WALKS for page in walk}
    assert [page.name for page in pages() if page.can_be_followed and page not in followed] == []
    assert len(followed) > 10
    assert Page(README) in followed


def test_what_is_not_run_is_shown_somewhere() -> None:
    shown = [line for page in pages() for block in page.blocks for line, _ in block.commands()]
    assert [pattern for pattern in NOT_RUN if not any(re.match(pattern, line) for line in shown)] == []
