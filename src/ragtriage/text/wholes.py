"""The pieces of a text that say little when they are cut: tables, list items, numbered clauses, code, sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import regex

from ragtriage.text.sentences import sentences

__all__ = ["Whole", "WholeKind", "wholes"]

WholeKind = Literal["table", "item", "clause", "code", "sentence"]
_LineKind = Literal["table", "item", "clause", "heading", "rule", "plain", "blank"]

_FENCE = regex.compile(r"\s*(?:>\s*)*(`{3,}|~{3,})")
_TAG = regex.compile(r"<(?P<close>/)?(?P<name>table|pre)\b[^>]{0,2000}>", regex.IGNORECASE)
_HEADING = regex.compile(r"\s{0,3}#{1,6}(?:\s|$)")
# Rows of Markdown and of grids drawn with + and -, rows of three cells without bars at the ends, and cells by tabs.
_ROW = regex.compile(r"\s*\|.*\|\s*$|\s*[^|\n]+(?:\|[^|\n]+){2,}$|\s*\+(?:[-=]+\+)+\s*$|[^\t\n]+(?:\t+[^\t\n]+){2,}$")
_RULE = regex.compile(r"[\s|:+=-]*[-=]{3,}[\s|:+=-]*$")
_ITEM = regex.compile(r"\s*(?:>\s*)*(?:[-*+•‣◦▪–—]|\(?\d{1,3}[.)](?!\d)|\(?\p{L}\))\s+\S")
# "4.2.", "4.2.1 Fees", "§ 5.", "Article 5", "Статья 5.", "Стаття 5", "5-бап.", "п. 3.2.": what only mentions a clause
# at the beginning of a wrapped line goes on in small letters. A date is no number of a clause.
_CLAUSE = regex.compile(
    r"\s*(?:\*\*|__)?(?:(?!\d\d\.\d\d\.\d\d(?!\d))\d{1,3}(?:\.\d{1,3}){1,5}(?:\.\)?|\)|(?=\s+[\"«„(\[]?\p{Lu}))\s"
    r"|(?:§+|(?i:article|section|clause|статья|ст\.|пункт|п\.|раздел|глава|стаття|розділ|глава))\s*\d++(?:\.\d+)*+"
    r"(?:[.):]|\s*$|\s+(?=\p{Lu}))"
    r"|\d+(?:\.\d+)*\s?[-‑–]\s?(?i:бап|тармақ|тарау|бөлім)(?:[.):]|\s*$|\s+(?=\p{Lu})))"
)
_ROWS_OF_A_TABLE = 2


@dataclass(frozen=True, slots=True)
class Whole:
    """One piece of a text at [start, end), without white space at its ends."""

    kind: WholeKind
    start: int
    end: int


@dataclass(slots=True)
class _Open:
    kind: _LineKind
    start: int
    end: int
    lines: int = 1


def wholes(text: str) -> list[Whole]:
    r"""Return the pieces of a text in any script, in order of their beginning.

    A table: two or more rows of Markdown, of a drawn grid or of cells between bars or tabs, or an HTML table. A list
    item and a numbered clause (4.2, § 5, Article 5, Статья 5, Стаття 5, 5-бап) reach to the next one, a blank line, a
    heading or a table. Code stands between fences or in `<pre>`. A heading counts as a sentence; inside tables and code
    there are none.

    >>> [(w.kind, w.start, w.end) for w in wholes("4.2 Комиссия 1 %. Минимум 5 ₸.\n\n| a | b |\n|---|---|\n| 1 | 2 |")]
    [('clause', 0, 30), ('sentence', 0, 17), ('sentence', 18, 30), ('table', 32, 61)]
    """
    closed = [*_tagged(text), *_fenced(text)]
    found = [*closed, *_outside(_by_line(text), closed)]
    closed = [w for w in found if w.kind in {"table", "code"}]
    said = (Whole("sentence", s.start, s.end) for s in sentences(text) if s.kind not in {"row", "header"})
    order = {"table": 0, "code": 0, "clause": 0, "item": 0, "sentence": 1}
    return sorted([*found, *_outside(said, closed)], key=lambda w: (w.start, order[w.kind], -w.end))


def _outside(pieces: Iterator[Whole], closed: list[Whole]) -> Iterator[Whole]:
    """Yield the pieces, which come in order, that touch none of `closed`."""
    ordered = sorted(closed, key=lambda w: w.start)
    at, reached = 0, 0
    for piece in pieces:
        while at < len(ordered) and ordered[at].start < piece.end:
            reached = max(reached, ordered[at].end)
            at += 1
        if reached <= piece.start:
            yield piece


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _tagged(text: str) -> Iterator[Whole]:
    """Yield what stands between the outermost tags of a table or `<pre>`; a tag that is never closed holds nothing."""
    name, start, depth = "", 0, 0
    for tag in _TAG.finditer(text):
        said = tag["name"].lower()
        if depth == 0 and not tag["close"]:
            name, start, depth = said, tag.start(), 1
        elif depth and said == name:
            depth += -1 if tag["close"] else 1
            if depth == 0:
                yield Whole("table" if name == "table" else "code", start, tag.end())


def _fenced(text: str) -> Iterator[Whole]:
    """Yield code between fences; a fence that is never closed holds the rest of the text."""
    opened: tuple[str, int] | None = None
    for start, end in _lines(text):
        mark = _FENCE.match(text, start, end)
        if opened is None and mark is not None:
            opened = mark[1], start
        elif opened is not None and mark is not None and mark[1].startswith(opened[0]):
            if text[mark.end() : end].strip():
                continue
            yield Whole("code", *_trimmed(text, opened[1], end))
            opened = None
    if opened is not None:
        yield Whole("code", *_trimmed(text, opened[1], len(text)))


def _by_line(text: str) -> Iterator[Whole]:
    """Yield tables, items and clauses by the form of their lines."""
    current: _Open | None = None
    for start, end in _lines(text):
        kind = _kind(text, start, end)
        if current is not None and _goes_on(kind, current):
            current.end, current.lines = end, current.lines + 1
            continue
        yield from _made(text, current)
        current = _Open(kind, start, end) if kind in {"table", "item", "clause"} else None
    yield from _made(text, current)


def _kind(text: str, start: int, end: int) -> _LineKind:
    if not text[start:end].strip():
        return "blank"
    if _HEADING.match(text, start, end):
        return "heading"
    if _ROW.fullmatch(text, start, end):
        return "table"
    if _RULE.fullmatch(text, start, end):
        return "rule"
    if _CLAUSE.match(text, start, end):
        return "clause"
    return "item" if _ITEM.match(text, start, end) else "plain"


def _goes_on(kind: _LineKind, current: _Open) -> bool:
    if current.kind == "table":
        return kind in {"table", "rule"}
    return kind == "plain"


def _made(text: str, current: _Open | None) -> Iterator[Whole]:
    if current is None:
        return
    start, end = _trimmed(text, current.start, current.end)
    if current.kind == "table" and current.lines >= _ROWS_OF_A_TABLE:
        yield Whole("table", start, end)
    elif current.kind == "item":
        yield Whole("item", start, end)
    elif current.kind == "clause":
        yield Whole("clause", start, end)
