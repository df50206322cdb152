"""Waiting for what a click on a link within the page sets going."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["settled"]


def settled(page: Page) -> None:
    """Wait until the page has drawn what its address says: a change of the address is told to it a moment later."""
    page.evaluate("new Promise((done) => setTimeout(() => setTimeout(done)))")
