"""Which entries of an ontology a question names, by their labels in whatever form they are inflected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import regex

from ragtriage.core.ontology import Concept, Ontology
from ragtriage.core.records import Entity
from ragtriage.data.ontologies import read_ontology
from ragtriage.text.content import same_word
from ragtriage.text.normalise import fold_text
from ragtriage.text.tokens import tokens

__all__ = ["Linker"]

_QUOTED = regex.compile(r"[«\"“„](?P<name>\p{Lu}[^«»\"“”„]{1,40})[»\"”]")


@dataclass(frozen=True, slots=True)
class _Name:
    """A label as words, and the concept that it names; `proper`: it is written with a capital."""

    words: tuple[str, ...]
    proper: bool
    concept: str


@dataclass(frozen=True, slots=True)
class Linker:
    """Links mentions to the concepts that nothing else is a kind of: a question about any card names none of them."""

    names: tuple[_Name, ...]
    identity: str = ""

    @classmethod
    def read(cls, path: Path) -> Linker:
        """Take the labels of an ontology; raises BadInput."""
        return cls.of(read_ontology(path))

    @classmethod
    def of(cls, ontology: Ontology) -> Linker:
        """Take the labels of the concepts without any below them, the longest first."""
        general = {parent for concept in ontology.concepts.values() for parent in concept.parents}
        special = [concept for name, concept in ontology.concepts.items() if name not in general]
        names = [name for concept in special for name in _names(concept)]
        ordered = sorted(names, key=lambda name: (-len(name.words), name.words, name.concept))
        return cls(tuple(ordered), ontology.identity)

    def link(self, question: str) -> tuple[Entity, ...]:
        """Return what a question mentions, in order; a quoted name that no label fits stands for nothing known."""
        found: list[Entity] = []
        read = tokens(question)
        folded = [fold_text(token.text) for token in read]
        for name in self.names:
            for at in range(len(read) - len(name.words) + 1):
                first, last = read[at], read[at + len(name.words) - 1]
                if name.proper and not question[first.start].isupper():
                    continue
                if _overlaps(found, first.start, last.end) or not _fits(name.words, folded[at : at + len(name.words)]):
                    continue
                found.append(_entity(question, first.start, last.end, name.concept))
        found.extend(
            _entity(question, start, end, None)
            for start, end in (match.span("name") for match in _QUOTED.finditer(question))
            if not _overlaps(found, start, end)
        )
        return tuple(sorted(found, key=lambda entity: entity.start or 0))


def _names(concept: Concept) -> Iterator[_Name]:
    for label in concept.labels:
        words = tuple(fold_text(token.text) for token in tokens(label))
        if words:
            yield _Name(words, label[0].isupper(), concept.concept_id)


def _fits(label: Sequence[str], words: Sequence[str]) -> bool:
    return all(same_word(one, other) for one, other in zip(label, words, strict=True))


def _overlaps(found: Sequence[Entity], start: int, end: int) -> bool:
    return any((one.start or 0) < end and start < (one.end or 0) for one in found)


def _entity(question: str, start: int, end: int, concept: str | None) -> Entity:
    return Entity(mention=question[start:end], id=concept, start=start, end=end)
