"""The pictures of the README can be taken of any run."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.screenshots import shoot, telling_case
from tests.report.samples import REPORT

from ragtriage.workflows.evaluate import evaluate

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_the_quickstart_is_photographed(browser: Browser, root: Path, tmp_path: Path) -> None:
    evaluate(root / "examples" / "quickstart" / "ragtriage.toml", output=tmp_path / "run", environment={})
    shoot(browser, tmp_path / "run", tmp_path / "images")
    pictures = sorted((tmp_path / "images").iterdir())
    assert [path.name for path in pictures] == ["report-case.png", "report-verdict.png"]
    for picture in pictures:
        content = picture.read_bytes()
        assert content.startswith(b"\x89PNG")
        assert 20_000 < len(content) < 300_000
        assert struct.unpack(">I", content[16:20]) == (1280,)


def test_the_pictures_in_the_repository_are_small_enough_to_load_with_the_readme(root: Path) -> None:
    for name in ("report-verdict.png", "report-case.png"):
        assert (root / "docs" / "images" / name).stat().st_size < 300_000
        assert f"docs/images/{name}" in (root / "README.md").read_text(encoding="utf-8")


def test_a_case_is_chosen_whose_sources_contradict_its_answer() -> None:
    assert telling_case(REPORT) == "kk-monthly-fee"
