"""Tables of HTML as trees: table, sections, rows and cells, with what stands in each cell.

Read by the rules by which a browser reads a table, as far as they concern tables: a row may stand directly under the
table, a cell without a row opens one, and end tags may be missing. Captions and column groups are no part of the tree.
Python's own `html.parser` is not used: some broken markup ends it with an AssertionError, and for other its time grows
with the square of the length.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from typing import NamedTuple, TypeAlias

from ragtriage.text.tree_distance import Tree

__all__ = ["Cell", "Table", "read_table", "without_sections"]

_SECTIONS = frozenset({"thead", "tbody", "tfoot"})
_CELLS = frozenset({"td", "th", "caption"})  # a caption is read as a cell is, and left out
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_ENDS_ITSELF = frozenset({"p", "li", "dt", "dd", "option"})
_SPAN = re.compile(r"\s*\+?(\d{1,9})")
_NAME = "[a-zA-Z][^\\s/>]*+"
_ATTRIBUTES = r"""(?:[\s/]++|=?[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+))?+|=)*+"""
_TOKEN = re.compile(  # as in the HTML standard; what begins like none of these is text
    rf"<!--(?:-?>|.*?-->)|<[!?][^>]*+>|</(?![a-zA-Z])[^>]*+>|<(/?)({_NAME})({_ATTRIBUTES})(>|\Z)", re.DOTALL
)
_ATTRIBUTE = re.compile(r"""([^\s/>=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+)))?+""")
_NO_TEXT = re.compile("<[!?/a-zA-Z]")
_RAW = frozenset({"iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"})


class Cell(NamedTuple):  # made and compared by the hundred for each table
    """A cell: `td` or `th`, the columns and rows it spans, and its content.

    `content`: text and inline tags by turns, text first and last: `a<br>` is `("a", "<br>", "", "</br>", "")`.
    """

    tag: str
    colspan: int
    rowspan: int
    content: tuple[str, ...]

    @property
    def text(self) -> str:
        """The characters without the tags."""
        return "".join(self.content[::2])


Table: TypeAlias = Tree[str | Cell]
"""The nodes of a table: tags of tables, sections and rows, and cells."""


def read_table(html: str) -> Table | None:
    """Read the first table of an HTML text; None where there is none.

    >>> table = read_table("<tr><table><tr><th>Fee<td rowspan=2>1 <b>%</b></table>")
    >>> table.labels[0]
    Cell(tag='th', colspan=1, rowspan=1, content=('Fee',))
    >>> table.labels[1]
    Cell(tag='td', colspan=1, rowspan=2, content=('1 ', '<b>', '%', '</b>', ''))
    >>> table.labels[2:], table.starts
    (('tr', 'table'), (0, 1, 0, 0))
    """
    reader = _Reader()
    reader.read(html)
    return reader.table()


def without_sections(table: Table) -> Table:
    """Return the table with its rows directly under it, whatever thead, tbody and tfoot they stood in.

    >>> without_sections(read_table("<table><thead></thead><tbody><tr></tr></tbody></table>")).labels
    ('tr', 'table')
    """
    kept = [label not in _SECTIONS for label in table.labels]
    before = [0]
    for keep in kept:
        before.append(before[-1] + keep)
    return Tree(
        tuple(label for label, keep in zip(table.labels, kept, strict=True) if keep),
        tuple(before[start] for start, keep in zip(table.starts, kept, strict=True) if keep),
    )


class _Reader:
    """Writes down the nodes of the first table in post order: each as it ends."""

    def __init__(self) -> None:
        self._labels: list[str | Cell] = []
        self._starts: list[int] = []
        self._open: dict[str, int] = {}  # table, section and row that are open, outermost first: where each began
        self._cell: tuple[str, int, int] | None = None
        self._content: list[str] = []
        self._inline: list[str] = []  # the tags that are open inside the cell
        self._count: Counter[str] = Counter()  # the same, counted
        self._done = False

    def table(self) -> Table | None:
        """End what was left open and return the table."""
        self._end("table")
        return Tree(tuple(self._labels), tuple(self._starts)) if self._done else None

    def read(self, html: str) -> None:
        """Read a page up to the end of its first table."""
        begin = html.find("<!--", html.rfind("-->") + 1)
        html = html if begin < 0 else html[:begin]  # a comment that never ends holds all that follows
        last = html.rfind(">") + 1  # no tag ends behind it, and none is looked for
        at = 0
        while not self._done and (token := _TOKEN.search(html, at, last)):
            if at < token.start():
                self._text(html[at : token.start()])
            at = token.end()
            name = token[2]
            if name is None:
                continue
            if not token[4]:  # the page ends inside a tag
                return
            tag = name.lower()
            if token[1]:
                self._end_tag(tag)
                continue
            self._start_tag(tag, token[3])
            if tag in _RAW:
                end = re.compile(rf"</{tag}[\s/>]", re.IGNORECASE).search(html, at)
                raw_end = end.start() if end else len(html)
                self._text(html[at:raw_end])
                at = raw_end
        if not self._done:
            rest = _NO_TEXT.search(html, at)
            self._text(html[at : rest.start()] if rest else html[at:])

    def _start_tag(self, tag: str, attributes: str) -> None:
        """Open a node of the table, or note a tag inside a cell."""
        if self._done or (tag != "table" and not self._open):
            return
        if self._cell is not None and (self._count["table"] or not self._ends_cell(tag)):
            self._start_inline(tag)
            return
        if tag == "table":
            self._end("table")  # a table inside another, outside of its cells, ends that one
            if not self._done:
                self._open["table"] = 0
        elif tag in _SECTIONS:
            self._end(*_SECTIONS, "tr")
            self._open[tag] = len(self._labels)
        elif tag == "tr":
            self._end("tr")
            self._open[tag] = len(self._labels)
        elif tag in _CELLS:
            self._end_cell()
            if tag != "caption":
                self._open.setdefault("tr", len(self._labels))
            spans = (_span(attributes, "colspan"), _span(attributes, "rowspan")) if attributes else (1, 1)
            self._cell = (tag, *spans)
            self._content, self._inline = [""], []

    def _end_tag(self, tag: str) -> None:
        """End a node of the table, or note the end of a tag inside a cell."""
        if self._cell is not None and self._count[tag]:
            while self._end_inline() != tag:
                pass
        elif self._cell is not None and self._count["table"]:
            return
        elif tag in _CELLS:
            self._end_cell()
        elif tag in self._open:
            self._end(tag)

    def _text(self, text: str) -> None:
        """Add text to the cell that is open."""
        if self._cell is not None:
            self._content[-1] += unescape(text) if "&" in text else text

    @staticmethod
    def _ends_cell(tag: str) -> bool:
        return tag in _CELLS or tag in _SECTIONS or tag == "tr"

    def _start_inline(self, tag: str) -> None:
        if tag in _ENDS_ITSELF and self._inline[-1:] == [tag]:
            self._end_inline()
        self._inline.append(tag)
        self._count[tag] += 1
        self._content += [f"<{tag}>", ""]
        if tag in _VOID:
            self._end_inline()

    def _end_inline(self) -> str:
        tag = self._inline.pop()
        self._count[tag] -= 1
        self._content += [f"</{tag}>", ""]
        return tag

    def _end_cell(self) -> None:
        if self._cell is None:
            return
        while self._inline:
            self._end_inline()
        tag, colspan, rowspan = self._cell
        self._cell = None
        if tag != "caption":
            self._add(Cell(tag, colspan, rowspan, tuple(self._content)), len(self._labels))

    def _end(self, *tags: str) -> None:
        """End the open nodes down to the outermost one of `tags`."""
        outermost = next((place for place, tag in enumerate(self._open) if tag in tags), None)
        if outermost is None:
            return
        self._end_cell()
        for tag in list(self._open)[: outermost - 1 if outermost else None : -1]:
            self._add(tag, self._open.pop(tag))
        self._done = not self._open

    def _add(self, label: str | Cell, start: int) -> None:
        self._labels.append(label)
        self._starts.append(start)


def _span(attributes: str, name: str) -> int:
    """Read a span as a browser does: the digits that it begins with; 1 where there are none."""
    for found, *values in _ATTRIBUTE.findall(attributes):
        if found.lower() == name:
            digits = _SPAN.match(unescape("".join(values)))
            return int(digits[1]) if digits else 1
    return 1
