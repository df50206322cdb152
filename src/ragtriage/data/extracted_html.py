"""Read HTML as a reader without scripts would see it, by lxml: no network, no outside entities, no deep nesting."""

from __future__ import annotations

import codecs
import copy
import re
from dataclasses import dataclass, field
from typing import Any

from ragtriage.core.errors import BadInput, MissingExtra
from ragtriage.core.extraction_views import Heading
from ragtriage.data.extracted_document import ExtractedDocument

__all__ = ["decoded", "html_document"]

# What no browser shows, after the rendering section of the HTML standard, and what stands for pictures and programs.
_UNSEEN = frozenset(
    (
        "area", "audio", "base", "canvas", "datalist", "embed", "frame", "frameset", "head", "iframe", "link",
        "meta", "noembed", "noframes", "noscript", "object", "param", "rp", "script", "style", "svg",
        "template", "title", "video",
    )
)  # fmt: skip
_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog",
        "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
        "h6", "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "optgroup",
        "option", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead",
        "tr", "ul",
    )
)  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu"})
_STRUCTURE = ("table", *_HEADINGS)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_CHARSET = re.compile(rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_DECLARED_WITHIN = 4096
_AS_BROWSERS = dict.fromkeys(("iso-8859-1", "latin1", "us-ascii", "ascii"), "cp1252")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decoded(content: bytes, *, name: str) -> str:
    """Decode a page: by its byte order mark, else as UTF-8, else as it declares; raises BadInput, nothing is replaced.

    >>> decoded('<meta charset="windows-1251">тариф'.encode("cp1251"), name="a.html")[-5:]
    'тариф'
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decode(content[len(mark) :], encoding, name)
    declared = _CHARSET.search(content[:_DECLARED_WITHIN])
    if declared is not None and content.isascii():  # seven bits are UTF-8 as well, and may be ISO-2022-JP
        return _decode(content, declared[1].decode("ascii"), name)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        if declared is not None:
            return _decode(content, declared[1].decode("ascii"), name)
        line = content.count(b"\n", 0, error.start) + 1
        text = f"is not UTF-8 (byte {content[error.start]:#04x}) and declares no other encoding"
        raise BadInput(f"{name}:{line}: {text}") from error


def _decode(content: bytes, encoding: str, name: str) -> str:
    try:
        return content.decode(_AS_BROWSERS.get(encoding.lower(), encoding))
    except (LookupError, UnicodeDecodeError) as error:
        raise BadInput(f"{name}: is not in the encoding {encoding!r} that it declares") from error


def html_document(page: str) -> ExtractedDocument:
    """Return what a page shows, without scripts, styles and other things that no browser shows.

    White space is folded outside of `pre`. A table that holds headings or tables, or whose role is `presentation`, is
    taken as layout. The title is that of the head, else the first h1. Raises ValueError where a page is nested too
    deeply to be read, and MissingExtra without lxml.

    >>> found = html_document("<h1>Fees</h1><p>1 % of <b>the</b> sum<ul><li>cards<li>loans</ul>")
    >>> found.blocks, found.lists, found.title
    (('Fees', '1 % of the sum', 'cards', 'loans'), (('cards', 'loans'),), 'Fees')
    """
    root = _parsed(page)
    reading = _Reading()
    title = None
    if root is not None:
        title = next((_folded("".join(e.itertext())) for e in root.iterfind("head/title")), None)
        reading.walk(root)
    headings = tuple(_nested(reading.headings))
    first = next((h.text for h in headings if h.level == 1), "")
    return ExtractedDocument(
        form="html",
        text="\n\n".join(reading.blocks),
        blocks=tuple(reading.blocks),
        headings=headings,
        lists=tuple(tuple(items) for items in reading.lists if items),
        tables=tuple(reading.tables),
        title=title or first,
    )


def _parsed(page: str) -> Any:
    """Parse a page; None where it holds nothing at all."""
    try:
        from lxml import etree  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise MissingExtra("lxml", extra="html", needed_for="reading HTML and Markdown") from error
    if not page.strip():
        return None
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(page.replace("\0", "\ufffd").encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        root = None
    if any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log):
        raise ValueError("is nested deeper than 250 levels or holds a text of more than 10 million bytes")
    return root


def _folded(text: str) -> str:
    return _SPACE.sub(" ", text).strip(" ")


def _nested(headings: list[tuple[int, str]]) -> list[Heading]:
    """Give each heading the nearest earlier one of a lower level as its parent."""
    found: list[Heading] = []
    above: list[tuple[int, str]] = []
    for level, text in headings:
        above = [h for h in above if h[0] < level]
        found.append(Heading(level, text, above[-1][1] if above else None))
        above.append((level, text))
    return found


@dataclass(slots=True)
class _Reading:
    """What was read so far; a block ends where an element begins or ends that stands on lines of its own."""

    blocks: list[str] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    lists: list[list[str]] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    items: list[list[str]] = field(default_factory=list)  # the open items, each as the blocks it holds so far
    open_lists: list[list[str]] = field(default_factory=list)
    heading: int = 0
    preformatted: int = 0

    def walk(self, root: Any) -> None:
        """Read an element and all in it, without recursion: the nesting is the page's."""
        ahead: list[tuple[Any, bool]] = [(root, False)]
        while ahead:
            element, done = ahead.pop()
            if done:
                self.end(element.tag)
                self.say(element.tail)
            elif element.tag in _UNSEEN or element.get("hidden") is not None:
                self.say(element.tail)
            elif element.tag == "table" and not _is_layout(element):
                self.table(element)
                self.say(element.tail)
            else:
                self.start(element.tag)
                self.say(element.text)
                ahead.append((element, True))
                ahead.extend((child, False) for child in reversed(element))

    def start(self, tag: str) -> None:
        """Open an element."""
        if tag in _BLOCKS:
            self.flush()
        if tag == "br":
            self.pieces.append("\n")
        elif tag == "pre":
            self.preformatted += 1
        elif tag in _HEADINGS:
            self.heading = _HEADINGS[tag]
        elif tag in _LISTS:
            self.open_lists.append([])
            self.lists.append(self.open_lists[-1])
        elif tag == "li":
            self.items.append([])

    def end(self, tag: str) -> None:
        """Close an element."""
        if tag in _BLOCKS:
            self.flush()
        if tag == "pre":
            self.preformatted -= 1
        elif tag in _HEADINGS:
            self.heading = 0
        elif tag in _LISTS:
            self.open_lists.pop()
        elif tag == "li":
            text = " ".join(self.items.pop())
            if text and self.open_lists:
                self.open_lists[-1].append(text)

    def say(self, text: str | None) -> None:
        """Add text to the block that is open."""
        if text:
            self.pieces.append(text if self.preformatted else _SPACE.sub(" ", text))

    def flush(self) -> None:
        """End the open block."""
        whole = "".join(self.pieces)
        self.pieces.clear()
        if not self.preformatted:
            whole = re.sub(r" *\n *", "\n", re.sub(r"  +", " ", whole))
        text = whole.strip(" \t\n\r\f")
        if not text:
            return
        self.blocks.append(text)
        if self.heading:
            self.headings.append((self.heading, _folded(text)))
        if self.items:
            self.items[-1].append(text)

    def table(self, element: Any) -> None:
        """Take a table as one block, and as HTML without what no browser shows."""
        self.flush()
        kept = copy.deepcopy(element)
        kept.tail = None
        for hidden in [e for e in kept.iter() if e.tag in _UNSEEN or e.get("hidden") is not None]:
            _remove(hidden)
        rows = [[_folded(_cell_text(cell)) for cell in row.iter("td", "th")] for row in kept.iter("tr")]
        captions = [_folded(_cell_text(caption)) for caption in kept.iter("caption")]
        lines = [*captions, *("\t".join(row) for row in rows)]
        self.pieces.append("\n".join(line for line in lines if line.strip()))
        from lxml import etree  # noqa: PLC0415 - an extra, and there: it made the element

        self.tables.append(etree.tostring(kept, method="html", encoding="unicode"))
        self.preformatted += 1
        self.flush()
        self.preformatted -= 1


def _is_layout(table: Any) -> bool:
    if (table.get("role") or "").strip().lower() in {"presentation", "none"}:
        return True
    return any(inner is not table for inner in table.iter(*_STRUCTURE)) or next(table.iter("tr"), None) is None


def _remove(element: Any) -> None:
    """Take an element out and leave the text behind it."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    tail = element.tail or ""
    if before is None:
        parent.text = (parent.text or "") + tail
    else:
        before.tail = (before.tail or "") + tail
    parent.remove(element)


def _cell_text(cell: Any) -> str:
    """Return the text of a cell; elements on lines of their own are divided by a space."""
    from lxml import etree  # noqa: PLC0415 - an extra, and there: it made the cell

    pieces: list[str] = []
    for event, part in etree.iterwalk(cell, events=("start", "end")):
        if part is not cell and (part.tag in _BLOCKS or part.tag == "br"):
            pieces.append(" ")
        if event == "start":
            pieces.append(part.text or "")
        elif part is not cell:
            pieces.append(part.tail or "")
    return "".join(pieces)
