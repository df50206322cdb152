"""Views of the ontology stage: what was mentioned, what it was linked to, and what an answer can be traced to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragtriage.core.ontology import Ontology

__all__ = ["AuditView", "Link", "LinksView", "OutputView"]


@dataclass(frozen=True, slots=True)
class Link:
    """A mention and the concept that it stands for; `concept` None: it is not in the ontology (NIL).

    `place`: its span in the question as (start, end), or its folded text where the source gives none.
    """

    place: tuple[int, int] | str
    concept: str | None


@dataclass(frozen=True, eq=False)
class LinksView:
    """Mentions of a question as the case labels them and as the system linked them, each place once.

    `gold` None: not labelled. `linked` None: the trace records no entities. `ontology` None: none is configured.
    """

    gold: tuple[Link, ...] | None
    linked: tuple[Link, ...] | None
    ontology: Ontology | None = None

    @property
    def pairs(self) -> tuple[tuple[str | None, str | None], ...]:
        """The gold and the linked concept of each mention that was found at its place."""
        linked = {link.place: link.concept for link in self.linked or ()}
        return tuple((gold.concept, linked[gold.place]) for gold in self.gold or () if gold.place in linked)


@dataclass(frozen=True, slots=True)
class OutputView:
    """An output that has to have a form; `text` None: no answer was recorded. `schema` None: none is declared."""

    text: str | None
    schema: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class AuditView:
    """What an answer can be traced to.

    `claims`: for each checkable claim of the answer the ids cited at it; None: no judge ran. `citations`: every cited
    id, repeats included; None: not recorded. `sources`: for each id whose text is known, the document of the corpus
    that it leads to; None: it leads to a text alone, as a hash of a chunk does.
    """

    claims: tuple[tuple[str, ...], ...] | None
    citations: tuple[str, ...] | None
    sources: Mapping[str, str | None]
