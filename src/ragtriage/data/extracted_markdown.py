"""Read Markdown as the HTML that it stands for: CommonMark with tables; HTML inside it is read as such."""

from __future__ import annotations

import re
from dataclasses import replace

from ragtriage.core.errors import MissingExtra
from ragtriage.data.extracted_document import ExtractedDocument
from ragtriage.data.extracted_html import html_document

__all__ = ["markdown_document"]

_DEEPEST = 100
_FRONT_LINES = 200
_FRONT_LINE = re.compile(r"\s*$|\s*(?:[\w.-]+:|- |#)|\s+\S")
_TITLE = re.compile(r"title:\s*(.*?)\s*$")


def markdown_document(text: str) -> ExtractedDocument:
    r"""Return what a Markdown text shows; the title is that of its front matter, else the first heading of level 1.

    Raises ValueError where it is nested too deeply, and MissingExtra without the extra `html`.

    >>> found = markdown_document("---\ntitle: Tariffs\n---\n# Fees\n\n1 % of\n**the** sum\n\n- cards\n- loans\n")
    >>> found.title, found.blocks, found.lists
    ('Tariffs', ('Fees', '1 % of the sum', 'cards', 'loans'), (('cards', 'loans'),))
    """
    try:
        from markdown_it import MarkdownIt  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise MissingExtra("markdown-it-py", extra="html", needed_for="reading Markdown") from error
    text = text.replace("\r\n", "\n")
    title, body = _front_matter(text)
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    tokens = parser.parse(body)
    if any(token.nesting == 1 and token.level >= _DEEPEST - 1 for token in tokens):  # what is deeper is left out
        raise ValueError(f"is nested deeper than {_DEEPEST - 1} levels")
    found = html_document(str(parser.renderer.render(tokens, parser.options, {})))
    return replace(found, form="markdown", title=title or found.title)


def _front_matter(text: str) -> tuple[str, str]:
    """Return the title that the lines between two `---` at the top declare, and the text behind them."""
    first, *lines = text.split("\n", _FRONT_LINES)
    if first.rstrip() != "---":
        return "", text
    title, length = "", len(first) + 1
    for line in lines:
        length += len(line) + 1
        if line.rstrip() in {"---", "..."}:
            return title, text[length:]
        if not _FRONT_LINE.match(line):
            break
        if titled := _TITLE.match(line):
            title = titled[1].strip("'\"")
    return "", text
