"""One Chromium for all browser tests, and a page of it that keeps what a page must never do."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.report.samples import REPORT, grown_report

from ragtriage.report.model import Report
from ragtriage.report.write import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    Open = Callable[..., Page]

_WIDE = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def browser(capability: Callable[[str], None]) -> Iterator[Browser]:
    """Debian's Chromium, driven by playwright, whose running event loop must not outlive the tests that need it."""
    capability("chromium")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where there is a browser

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update"],
        )
        yield found
        found.close()


@dataclass
class Deeds:
    """What pages did that was not asked for: words on the console, errors, requests, dialogs."""

    seen: list[str] = field(default_factory=list)

    def watch(self, page: Page, own: str) -> None:
        """Keep what a page does; `own` is where its files lie."""
        page.on("console", lambda message: self.seen.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.seen.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.seen.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("popup", lambda _: self.seen.append("popup"))
        page.on("request", lambda one: None if one.url.startswith(own) else self.seen.append(f"request: {one.url}"))


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Open a file of disk as a page, at a place of it; nothing may happen there that was not asked for."""
    deeds, contexts = Deeds(), []

    def opened(file: Path, at: str = "", **options: Any) -> Page:
        context = browser.new_context(**{"viewport": _WIDE, "reduced_motion": "reduce", **options})
        contexts.append(context)
        context.set_default_timeout(10_000)
        page = context.new_page()
        deeds.watch(page, file.parent.as_uri())
        page.goto(file.as_uri() + at)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert deeds.seen == []


def _written(report: Report, folder: Path) -> Path:
    write_report(report, folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="session")
def report_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the six cases made by hand."""
    return _written(REPORT, tmp_path_factory.mktemp("six"))


@pytest.fixture(scope="session")
def many_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of 2,000 cases."""
    return _written(grown_report(2_000), tmp_path_factory.mktemp("many"))
