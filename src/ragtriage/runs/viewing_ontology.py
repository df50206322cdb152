"""What a question was linked to, the form that its output has to have, and what its answer can be traced to."""

from __future__ import annotations

from collections.abc import Iterable

from ragtriage.core.ontology import Ontology
from ragtriage.core.ontology_views import AuditView, Link, LinksView, OutputView
from ragtriage.core.records import Case, Entity, Trace
from ragtriage.core.verdicts import Verdicts
from ragtriage.runs.viewing_places import Places
from ragtriage.text.normalise import fold_text

__all__ = ["audit_view", "links_view", "output_view"]


def links_view(case: Case, trace: Trace, ontology: Ontology | None) -> LinksView:
    """Return the labelled and the linked mentions of a question."""
    return LinksView(
        gold=None if case.entities is None else _links(case.question, case.entities),
        linked=None if trace.entities is None else _links(case.question, trace.entities),
        ontology=ontology,
    )


def output_view(case: Case, trace: Trace) -> OutputView:
    """Return the answer's text with the schema that the case declares."""
    declared = case.expected.format
    return OutputView(
        text=None if trace.answer is None else trace.answer.text,
        schema=None if declared is None else declared.json_schema,
    )


def audit_view(trace: Trace, verdicts: Verdicts | None, places: Places) -> AuditView:
    """Return what is cited at each claim, and where each cited id leads."""
    cited = None if trace.answer is None else trace.answer.citations
    shown = {item.id: item for item in trace.context or ()}
    named = {name for citation in cited or () for name in citation.ids}
    sources: dict[str, str | None] = {}
    for name in sorted(named):
        doc_id = places.document_of(name) or (shown[name].doc_id if name in shown else None)
        known = doc_id is not None and places.corpus is not None and doc_id in places.corpus.documents
        if known or name in shown:
            sources[name] = doc_id if known else None
    claims = None if verdicts is None or verdicts.claims is None else verdicts.claims
    return AuditView(
        claims=None if claims is None else tuple(claim.cited for claim in claims if claim.of == "answer"),
        citations=None if cited is None else tuple(name for citation in cited for name in citation.ids),
        sources=sources,
    )


def _links(question: str, entities: Iterable[Entity]) -> tuple[Link, ...]:
    """Return a link for each place; of several entities at one place the first counts."""
    found: dict[tuple[int, int] | str, Link] = {}
    for entity in entities:
        place = _place(question, entity)
        found.setdefault(place, Link(place, entity.id))
    return tuple(found.values())


def _place(question: str, entity: Entity) -> tuple[int, int] | str:
    """Return the span of a mention: as recorded, else where it stands once in the question, else its folded text."""
    if entity.start is not None and entity.end is not None:
        return entity.start, entity.end
    if entity.mention and question.count(entity.mention) == 1:
        start = question.index(entity.mention)
        return start, start + len(entity.mention)
    return " ".join(fold_text(entity.mention).split())
