"""Every link inside the documentation leads somewhere."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import yaml
from tests.docs.walks import DOCS, ROOT, Page, pages

NAVIGATED = ROOT / "mkdocs.yml"


def links(page: Page) -> list[str]:
    inline = [child for token in page.tokens for child in token.children or ()]
    return [str(child.attrs["href"]) for child in inline if child.type == "link_open"]


@functools.cache
def anchors(page: Page) -> frozenset[str]:
    """Return the anchors of the headings, made from their words as the site makes them."""
    found: set[str] = set()
    for place, token in enumerate(page.tokens):
        if token.type == "heading_open":
            words = "".join(child.content for child in page.tokens[place + 1].children or ())
            anchor = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", words).strip().lower())
            number = sum(name == anchor or name.startswith(f"{anchor}_") for name in found)
            found.add(f"{anchor}_{number}" if number else anchor)
    return frozenset(found)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_link_leads_to_a_page_and_a_heading_of_it(page: Page) -> None:
    for link in links(page):
        parts = urlsplit(link)
        if parts.scheme:
            continue
        target = (page.path.parent / parts.path).resolve() if parts.path else page.path
        assert target.is_file(), f"{page.name}: {link}"
        if parts.fragment:
            assert parts.fragment in anchors(Page(target)), f"{page.name}: {link}"


def navigated(entry: object) -> Iterator[str]:
    match entry:
        case str():
            yield entry
        case list():
            for inner in entry:
                yield from navigated(inner)
        case dict():
            for inner in entry.values():
                yield from navigated(inner)


def test_the_navigation_holds_every_page_once() -> None:
    settings = yaml.safe_load(NAVIGATED.read_text(encoding="utf-8"))
    listed = list(navigated(settings["nav"]))
    aside = [line.strip().strip("/") for line in settings["not_in_nav"].splitlines() if line.strip()]
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    expected = {name for name in there if not any(name == one or name.startswith(f"{one}/") for one in aside)}
    assert sorted(listed) == sorted(expected)
