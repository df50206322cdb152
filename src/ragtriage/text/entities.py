"""Names, codes, links and e-mail addresses in a text, by form alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import regex

from ragtriage.text.amounts import read_amounts
from ragtriage.text.language import base_language, guess_language
from ragtriage.text.normalise import fold_text
from ragtriage.text.sentences import sentences
from ragtriage.text.spans import Spans
from ragtriage.text.stop_words import STOP_WORDS
from ragtriage.text.units import CURRENCIES

__all__ = ["Entity", "EntityKind", "find_entities"]

EntityKind = Literal["url", "email", "code", "name"]

_URL = regex.compile(
    r"(?:https?://|www\.)[^\s<>\"'«»()\[\]{}]+"
    r"|(?<![\p{L}\p{N}@._-])(?:[\p{L}\p{N}-]+\.)+(?:com|org|net|kz|ru|ua|io|gov|edu|example|eu|de|info)"
    r"(?:/[^\s<>\"'«»()\[\]{}]*)?(?![\p{L}\p{N}])",
    regex.IGNORECASE,
)
_EMAIL = regex.compile(r"[\p{L}\p{N}._%+-]+@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}")
_CODE = regex.compile(
    r"(?<![\p{L}\p{N}])(?:(?=[\p{Lu}\p{N}])(?=[\p{L}\p{N}-]{0,40}\p{N})(?=[\p{L}\p{N}-]{0,40}\p{L})[\p{Lu}\p{N}]+(?:-[\p{Lu}\p{N}]+)*"
    r"|\p{Lu}{2,6}(?:-\p{Lu}{2,})*)(?![\p{L}\p{N}])"
)
_NAME = regex.compile(
    r"(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}'’-]+"
    r"(?:[ \u00a0](?:(?:de|von|van|of|the|and|und|di|la|al|el)[ \u00a0])?\p{Lu}[\p{L}\p{M}'’-]+)*"
)
_QUOTED = regex.compile(r"[«“„]([^»”“\n]{2,60})[»”“]")
_NOUNS_IN_CAPITALS = frozenset({"de", "lb"})
_TRAILING = ".,;:!?…"


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity at [start, end)."""

    text: str
    start: int
    end: int
    kind: EntityKind


def _names(text: str, language: str | None) -> list[Entity]:
    """Return runs of capitalised words; one that opens a sentence counts from its second word on, if it has one."""
    stop = STOP_WORDS.get(language or "", frozenset())
    found = []
    for sentence in sentences(text):
        if sentence.kind in {"heading", "header", "row"}:
            continue
        letters = [i for i, c in enumerate(sentence.text) if c.isalpha()]
        opening = sentence.start + letters[0] if letters else sentence.start
        for match in _NAME.finditer(text, sentence.start, sentence.end):
            start, end = match.span()
            pieces = match[0].split()
            if start == opening and len(pieces) == 1:
                continue
            if start == opening:
                start += len(pieces[0]) + 1
            if fold_text(text[start:end]) not in stop:
                found.append(Entity(text[start:end], start, end, "name"))
    return found


def find_entities(text: str, *, language: str | None = None) -> list[Entity]:
    """Return the entities of a text in order; none of them overlaps another.

    Names are runs of capitalised words inside a sentence, and short quoted titles; languages that write every noun
    with a capital have no names here.

    >>> text = "Напишите на help@bank.kz или в отделение «Левый берег» в Астане, код KZ-77."
    >>> [(e.kind, e.text) for e in find_entities(text)]
    [('email', 'help@bank.kz'), ('name', 'Левый берег'), ('name', 'Астане'), ('code', 'KZ-77')]
    """
    known = base_language(language) or guess_language(text)
    found: list[Entity] = []
    amounts = read_amounts(text, language)
    with_unit = [n for n in amounts.numbers if n.unit]
    amount = Spans.of(with_unit, amounts.dates)

    def add(entity: Entity) -> None:
        if not amount.overlap(entity.start, entity.end) and not any(
            entity.start < e.end and e.start < entity.end for e in found
        ):
            found.append(entity)

    kinds: tuple[tuple[EntityKind, regex.Pattern[str]], ...] = (("email", _EMAIL), ("url", _URL), ("code", _CODE))
    for kind, pattern in kinds:
        for match in pattern.finditer(text):
            piece = match[0].rstrip(_TRAILING)
            if piece not in CURRENCIES:
                add(Entity(piece, match.start(), match.start() + len(piece), kind))
    for match in _QUOTED.finditer(text):
        if any(c.isupper() for c in match[1]) and len(match[1].split()) <= 5:  # noqa: PLR2004 - a title, no quotation
            add(Entity(match[1], match.start(1), match.end(1), "name"))
    if known not in _NOUNS_IN_CAPITALS:
        for name in _names(text, known):
            add(name)
    return sorted(found, key=lambda e: e.start)
