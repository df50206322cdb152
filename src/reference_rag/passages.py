"""The context as the pieces that an answer may quote: sentences, list items, table rows with their heads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from ragtriage.core.records import ContextItem
from reference_rag.blocks import Block, blocks_of

__all__ = ["Passage", "Unit", "sentences", "units_of"]

_END = regex.compile(r"[.!?…。！？।][\"'»”)]*(?:\s+(?=[\p{Lu}\p{Lo}\p{N}«\"“(—-])|$)")
_ABBREVIATION = regex.compile(
    r"(?:^|[\s(«])(?:\p{Lu}|п|г|ул|стр|тыс|млн|млрд|мин|макс|руб|грн|тг|коп|см|др|пр|т|вул|хв|год|обл|mr|mrs|ms|dr|no|"
    r"min|max|approx|e\.g|i\.e|etc|vs|ж|б)\.$",
    regex.IGNORECASE,
)
_MARK = regex.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_RULE = regex.compile(r"^\s*\|[\s:|-]+\|\s*$")
_EMPHASIS = regex.compile(r"(\*\*|__|`)")
_LONGEST_LIST = 600


@dataclass(frozen=True, slots=True)
class Passage:
    """One context item and what is known of where it stands."""

    item: ContextItem
    title: str = ""
    section_path: tuple[str, ...] = ()
    table_head: str | None = None
    language: str | None = None
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece that may be quoted: `text` as an answer says it, `cells` (head, cell) of a table row.

    `place`: the passage's place in the context, from 0. `heading`: title and headings it stands under.
    """

    text: str
    place: int
    chunk_id: str
    heading: str
    language: str | None
    trusted: bool = True
    cells: tuple[tuple[str, str], ...] = ()


def units_of(passage: Passage, *, place: int) -> Iterator[Unit]:
    """Yield what may be quoted of a passage, in order; headings are no statement and are left out."""
    text = passage.item.text
    found = blocks_of(text)
    base = f"{passage.title}\n" + "\n".join(passage.section_path)
    for number, block in enumerate(found):
        heading = "\n".join([base, *(t for t in block.section_path if t not in passage.section_path)])
        body = text[block.start : block.end]
        if block.kind == "table":
            for cells in _rows(body, passage.table_head):
                yield Unit(_said(cells), place, passage.item.id, heading, passage.language, passage.trusted, cells)
        elif block.kind in {"paragraph", "item", "code"}:
            pieces = list(sentences(_MARK.sub("", body)))
            pieces[-1:] = [_with_list(text, found, number, piece) for piece in pieces[-1:]]
            for piece in pieces:
                yield Unit(piece, place, passage.item.id, heading, passage.language, passage.trusted)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph, white space folded, emphasis marks removed; not cut behind abbreviations.

    >>> list(sentences("Скидка 0,5 п. п. для клиентов. Ставка **18 %**."))
    ['Скидка 0,5 п. п. для клиентов.', 'Ставка 18 %.']
    """
    plain = " ".join(_EMPHASIS.sub("", text).split())
    start = 0
    for match in _END.finditer(plain):
        if _ABBREVIATION.search(plain[start : match.start() + 1]) and match.end() < len(plain):
            continue
        yield plain[start : match.end()].strip()
        start = match.end()
    if plain[start:].strip():
        yield plain[start:].strip()


def _with_list(text: str, blocks: list[Block], number: int, sentence: str) -> str:
    """Add the list that a sentence ending in a colon announces, where it is short enough to be quoted."""
    if not sentence.endswith(":"):
        return sentence
    items: list[str] = []
    for block in blocks[number + 1 :]:
        if block.kind != "item":
            break
        items.append(" ".join(_EMPHASIS.sub("", _MARK.sub("", text[block.start : block.end])).split()))
    whole = f"{sentence} {' '.join(items)}"
    return whole if items and len(whole) <= _LONGEST_LIST else sentence


def _rows(table: str, known_head: str | None) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the rows of a Markdown table as (head, cell); the head stands over a line of dashes, or is known."""
    lines = [line for line in table.split("\n") if line.strip()]
    head: list[str] = []
    if len(lines) > 1 and _RULE.match(lines[1]):
        head, lines = _cells(lines[0]), lines[2:]
    elif known_head is not None:
        head = _cells(known_head.split("\n")[0])
    for line in lines:
        cells = _cells(line)
        names = head if len(head) == len(cells) else [""] * len(cells)
        yield tuple(zip(names, cells, strict=True))


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [_EMPHASIS.sub("", cell).strip() for cell in regex.split(r"(?<!\\)\|", inner)]


def _said(cells: tuple[tuple[str, str], ...]) -> str:
    """Write a row as a statement: its first cell names what the others are about.

    >>> _said((("Car", "New"), ("Rate", "18 %"), ("Term", "7 years")))
    'New: Rate 18 %; Term 7 years.'
    """
    first, *rest = [(head, cell) for head, cell in cells if cell] or [("", "")]
    return f"{first[1]}: {'; '.join(f'{head} {cell}'.strip() for head, cell in rest)}." if rest else f"{first[1]}."
