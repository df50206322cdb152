"""Sentences, list items, headings and table rows of a text in any script, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import regex

from ragtriage.text.abbreviations import AFTER_A_NUMBER, BEFORE_NAMES, BEFORE_NUMBERS, SHORTENED

__all__ = ["Sentence", "SentenceKind", "sentences"]

SentenceKind = Literal["prose", "item", "heading", "row", "header"]

_LINE = regex.compile(r"[^\n\r\u2028\u2029\u0085\v\f]+")
_MARK = regex.compile(
    r"\s*(?:>\s*)*(?:(?P<heading>#{1,6}\s+)|(?P<item>(?:[-*+•‣◦▪–—]|\(?\d{1,3}[.)](?!\d)|\(?\p{L}\))\s+))?"
)
_ROW = regex.compile(r"\s*\|.*\|\s*$|\s*[^|\n]+(?:\|[^|\n]+){2,}$")
_RULE = regex.compile(r"[\s|:+=_*-]*$")
_STOP = regex.compile(
    r"(?P<mark>[.!?…。．！？｡؟۔।॥։።᙮។၊။‼⁇⁈⁉]+)(?P<close>[\"'”’»)\]】」』*_]*)"
    r"(?P<cites>(?:[ \u00a0]?(?:\[[^\[\]\n]{1,40}\]|【[^】\n]{1,40}】|[¹²³⁰-⁹]+))*)"
)
_AFTER_NUMBER = regex.compile(r"\p{Nd}[ \u00a0\u202f]?[гржс]{1,2}$", regex.IGNORECASE)
_TOKENISED_DECIMAL = regex.compile(r"\p{Nd} \. \p{Nd}")
_UNSPACED_STOPS = frozenset("。．！？｡।॥។။")
_LAST_WORD = regex.compile(r"[\p{L}\p{M}\p{N}.'’\-]+$")
_NEXT = regex.compile(r"[\s\"'“‘«(\[¿¡*_—–-]*(\S)")
_WRAPPED_FROM = 50
_WHOLE_WORD = 5
_ENDS_LINE = regex.compile(r"[.!?…。！？؟۔।:;][\"'”’»)\]*_]*\s*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: `text` stands at [start, end). `kind`: prose, list item, heading, table row or table header."""

    text: str
    start: int
    end: int
    kind: SentenceKind = "prose"


def _last_word(text: str, start: int, dot: int) -> str:
    found = _LAST_WORD.search(text[max(start, dot - 40) : dot])
    return found[0].lower() if found else ""


def _ends(text: str, start: int, stop: regex.Match[str], end: int) -> bool:
    """Say whether the marks at `stop` end a sentence that began at `start`; `end` is the end of the line."""
    mark = stop["mark"]
    after = stop.end()
    if after >= end:
        return True
    if any(c in _UNSPACED_STOPS for c in mark):
        return True
    if not text[after].isspace():
        return False
    if mark == "." and _TOKENISED_DECIMAL.match(text, max(0, stop.start() - 2), end):
        return False
    following = _NEXT.match(text, after, end)
    upcoming = following[1] if following else ""
    if set(mark) - {".", "…"}:
        return not (upcoming.islower() and bool(stop["close"]))
    word = _last_word(text, start, stop.start())
    if not word:
        return text[start : stop.start()].strip() != ""
    if mark == ".":
        if word in BEFORE_NAMES or (word in BEFORE_NUMBERS and upcoming.isdigit()):
            return False
        if len(word) == 1 and word.isalpha() and text[stop.start() - 1].isupper():
            return False  # an initial
        if word in AFTER_A_NUMBER and not _AFTER_NUMBER.search(text[max(start, stop.start() - 20) : stop.start()]):
            return False  # "г. Алматы" against "2026 г."
        if word in SHORTENED or "." in word:
            return upcoming.isupper()
        if word.isdigit() and text[start : stop.start()].strip() == word:
            return False  # "1. ..."
    if upcoming.islower():
        return len(word) >= _WHOLE_WORD or word[-1].isdigit()
    return True


def _split(text: str, start: int, end: int, kind: SentenceKind) -> Iterator[Sentence]:
    begin = start
    for stop in _STOP.finditer(text, start, end):
        if _ends(text, begin, stop, end):
            yield from _piece(text, begin, stop.end(), kind)
            begin = stop.end()
    yield from _piece(text, begin, end, kind)


def _piece(text: str, start: int, end: int, kind: SentenceKind) -> Iterator[Sentence]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Sentence(text[start:end], start, end, kind)


def _blocks(text: str) -> Iterator[tuple[int, int, SentenceKind]]:
    """Yield lines, with lines that only wrap a longer one joined to it."""
    block: tuple[int, int, SentenceKind] | None = None
    for line in _LINE.finditer(text):
        if not line[0].strip():
            if block:
                yield block
            block = None
            continue
        mark = _MARK.match(text, line.start(), line.end())
        start = mark.end() if mark else line.start()
        kind: SentenceKind = "prose"
        if mark and mark["heading"]:
            kind = "heading"
        elif _ROW.match(text, line.start(), line.end()):
            kind, start = "row", line.start()
        elif mark and mark["item"]:
            kind = "item"
        if block and kind == "prose" and block[2] in {"prose", "item"} and _wraps(text, block, line):
            block = (block[0], line.end(), block[2])
            continue
        if kind == "row" and _RULE.match(line[0]):
            if block and block[2] == "row":
                yield block[0], block[1], "header"
                block = None
            continue
        if block:
            yield block
        block = (start, line.end(), kind)
    if block:
        yield block


def _wraps(text: str, block: tuple[int, int, SentenceKind], line: regex.Match[str]) -> bool:
    between = text[block[1] : line.start()]
    if between.count("\n") > 1 or _ENDS_LINE.search(text, block[0], block[1]):
        return False
    last_line = text.rfind("\n", block[0], block[1]) + 1
    length = block[1] - max(block[0], last_line)
    return length >= _WRAPPED_FROM or line[0].lstrip()[0].islower()


def sentences(text: str) -> list[Sentence]:
    r"""Return the sentences of a text; table rules (`|---|`) and list marks are left out.

    A dot ends no sentence inside a number, after an abbreviation, an initial or a list number. A line break ends one
    unless the line only wraps. Citations that follow the full stop belong to the sentence before them.

    >>> [s.text for s in sentences("Ставка 1.5 % с 2026 г. действует. См. п. 3 договора! 完了。次。")]
    ['Ставка 1.5 % с 2026 г. действует.', 'См. п. 3 договора!', '完了。', '次。']
    >>> [(s.kind, s.text) for s in sentences("# Fees\n- Card: 5 ₸. [1]\n| a | b |\n|---|---|")]
    [('heading', 'Fees'), ('item', 'Card: 5 ₸. [1]'), ('header', '| a | b |')]
    """
    return [piece for start, end, kind in _blocks(text) for piece in _split_block(text, start, end, kind)]


def _split_block(text: str, start: int, end: int, kind: SentenceKind) -> Iterator[Sentence]:
    if kind in {"row", "header", "heading"}:
        yield from _piece(text, start, end, kind)
    else:
        yield from _split(text, start, end, kind)
