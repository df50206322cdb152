"""Views of what detectors find in texts: entities, personal data, relations, languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = ["LabelledSpan", "LanguageView", "PersonalDataView", "RelationsView", "SpansView", "Triple"]


@dataclass(frozen=True, slots=True, order=True)
class LabelledSpan:
    """A typed span [start, end) of one text, in code points or in tokens, the same on both sides of a comparison."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True, order=True)
class Triple:
    """A relation: head, type and tail, as ids or as folded text."""

    head: str
    relation: str
    tail: str


@dataclass(frozen=True, slots=True)
class SpansView:
    """The spans of one text as people labelled them and as a detector found them, each once."""

    population: ClassVar[str] = "texts"
    gold: frozenset[LabelledSpan]
    found: frozenset[LabelledSpan]

    def tells(self, *, entity: str | None = None, **_: object) -> bool:
        """Say whether it holds a span of one type, or of any: one without changes no number over many texts."""
        return any(entity in {None, span.label} for side in (self.gold, self.found) for span in side)


@dataclass(frozen=True, slots=True)
class PersonalDataView(SpansView):
    """The spans of personal data in one text, as people labelled them and as a detector found them, each once."""


@dataclass(frozen=True, slots=True)
class RelationsView:
    """The relations of one text as people labelled them and as they were extracted, each once."""

    population: ClassVar[str] = "texts"
    gold: frozenset[Triple]
    found: frozenset[Triple]

    def tells(self, *, relation: str | None = None, **_: object) -> bool:
        """Say whether it holds a relation of one type, or of any: one without changes no number over many texts."""
        return any(relation in {None, triple.relation} for side in (self.gold, self.found) for triple in side)


@dataclass(frozen=True, slots=True)
class LanguageView:
    """The language of one text as it is labelled and as it was identified; None: it could not be told."""

    population: ClassVar[str] = "texts"
    labelled: str
    identified: str | None

    def tells(self, *, language: str | None = None) -> bool:
        """Say whether it is labelled with one language, or with any: what is counted."""
        return language in {None, self.labelled}
