"""The blocks of a Markdown text with their offsets: headings, tables, list items, code, paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import regex

__all__ = ["Block", "BlockKind", "blocks_of"]

BlockKind = Literal["heading", "table", "item", "code", "paragraph"]

_HEADING = regex.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = regex.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")
_TABLE_ROW = regex.compile(r"\s*\|.*\|\s*$")
_FENCE = regex.compile(r"\s{0,3}(```+|~~~+)")


@dataclass(frozen=True, slots=True)
class Block:
    """One block at [start, end) of the text, under the headings `section_path`, outermost first."""

    kind: BlockKind
    start: int
    end: int
    section_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    for line in text.split("\n"):
        yield _Line(at, at + len(line), line)
        at += len(line) + 1


def blocks_of(text: str) -> list[Block]:
    r"""Cut a text into blocks; together they hold every character but white space between them.

    >>> [(b.kind, b.section_path) for b in blocks_of("# Fees\n\n| a | b |\n|---|---|\n\n- one\n- two")]
    [('heading', ('Fees',)), ('table', ('Fees',)), ('item', ('Fees',)), ('item', ('Fees',))]
    """
    found: list[Block] = []
    headings: list[tuple[int, str]] = []
    fence: str | None = None
    joins = False  # whether the next line may continue the last block
    for line in _lines(text):
        kind, fence = _kind(line.text, fence, continues=found[-1].kind if joins and found else None)
        if kind is None:
            joins = False
            continue
        if kind == "heading":
            headings = _under(headings, line.text)
        path = tuple(title for _, title in headings)
        if joins and found and _continues(kind, line.text, found[-1].kind):
            found[-1] = Block(found[-1].kind, found[-1].start, line.end, path)
        else:
            found.append(Block(kind, line.start, line.end, path))
        joins = kind != "heading" and not (kind == "code" and fence is None)
    return found


def _kind(line: str, fence: str | None, *, continues: BlockKind | None) -> tuple[BlockKind | None, str | None]:
    """Return the kind of a line (None: blank) and the fence that is open behind it."""
    mark = _FENCE.match(line)
    if fence is not None:
        closed = mark is not None and mark[1].startswith(fence) and not line.strip().strip("`~")
        return "code", None if closed else fence
    if mark is not None:
        return "code", mark[1]
    if not line.strip():
        return None, None
    if _HEADING.match(line):
        return "heading", None
    if _TABLE_ROW.match(line):
        return "table", None
    if _ITEM.match(line):
        return "item", None
    return ("item" if continues == "item" else "paragraph"), None


def _continues(kind: BlockKind, line: str, before: BlockKind) -> bool:
    if kind == "item":
        return before == "item" and not _ITEM.match(line)
    return kind == before and kind in {"table", "code", "paragraph"}


def _under(headings: list[tuple[int, str]], line: str) -> list[tuple[int, str]]:
    match = _HEADING.match(line)
    if match is None:
        return headings
    level = len(match[1])
    return [*(h for h in headings if h[0] < level), (level, match[2])]
