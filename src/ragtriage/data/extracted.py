"""Read what an extractor made of a document: plain text, Markdown or HTML, as text, blocks, headings, lists and tables.

Nothing is run or fetched. What a form cannot hold is None: plain text has no headings, lists, tables and title.
"""

from __future__ import annotations

import re
from pathlib import Path

from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_bytes, read_text
from ragtriage.data.extracted_document import ExtractedDocument, ExtractedForm

__all__ = ["SUFFIXES", "plain_document", "read_extracted"]

SUFFIXES: dict[str, ExtractedForm] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
}
MAX_BYTES = 64 * 1024 * 1024
_BLANK_LINES = re.compile(r"\n[^\S\n\f]*(?:\n|$)|\f")


def read_extracted(path: Path, *, max_bytes: int = MAX_BYTES) -> ExtractedDocument:
    """Read a document by the suffix of its file.

    Raises BadInput where it cannot be read, is larger than `max_bytes`, is not in the characters that it declares
    (UTF-8 where it declares none) or is nested too deeply, and MissingExtra without the extra `html`.
    """
    try:
        return _by_form(path, max_bytes=max_bytes)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from error


def _by_form(path: Path, *, max_bytes: int) -> ExtractedDocument:
    match SUFFIXES.get(path.suffix.lower()):
        case "text":
            return plain_document(read_text(path, max_bytes=max_bytes))
        case "markdown":
            from ragtriage.data.extracted_markdown import markdown_document  # noqa: PLC0415 - needs an extra

            return markdown_document(read_text(path, max_bytes=max_bytes))
        case "html":
            from ragtriage.data.extracted_html import decoded, html_document  # noqa: PLC0415 - needs an extra

            return html_document(decoded(read_bytes(path, max_bytes=max_bytes), name=str(path)))
        case None:
            raise BadInput(f"{path}: only {', '.join(SUFFIXES)} can be read")


def plain_document(text: str) -> ExtractedDocument:
    r"""Return plain text as it stands; blocks are divided by blank lines and page breaks, by lines where there is none.

    >>> plain_document("Fees\n\n1 % of\nthe sum\n").blocks
    ('Fees', '1 % of\nthe sum')
    """
    parts = _BLANK_LINES.split(text.replace("\r\n", "\n").strip())
    if len(parts) == 1:
        parts = parts[0].split("\n")
    return ExtractedDocument("text", text, tuple(part.strip() for part in parts if part.strip()))
