"""What the answer cites: whether the generator had been given it, and whether it supports the claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragtriage.core.records import ContextItem, Document, Trace
from ragtriage.core.verdicts import ClaimVerdict, Label, Verdicts
from ragtriage.report.sections.marking import Mark, Marking

__all__ = ["CitationLine", "citation_lines"]


@dataclass(frozen=True, slots=True)
class CitationLine:
    """One cited id; `claims`: numbers of the claims it is cited at, each with what the cited passage says of it.

    `in_context` None: the trace records no context. A label None: the judge did not look at it. `untrusted`: the
    corpus marks its document so.
    """

    id: str
    doc_id: str | None
    in_context: bool | None
    mark: Mark
    untrusted: bool
    claims: tuple[tuple[int, Label | None], ...]


def citation_lines(
    trace: Trace | None, judge: Verdicts | None, marking: Marking, documents: Mapping[str, Document]
) -> tuple[CitationLine, ...] | None:
    """Return each cited id once, in the order of the answer; None where the trace records no citations."""
    answer = trace.answer if trace is not None else None
    if trace is None or answer is None or answer.citations is None:
        return None
    claims = [claim for claim in (judge.claims if judge else None) or () if claim.of == "answer"]
    ids = dict.fromkeys(identity for citation in answer.citations for identity in citation.ids)
    return tuple(_line(identity, trace, claims, marking, documents) for identity in ids)


def _item(identity: str, trace: Trace) -> ContextItem | None:
    """Return the context item of this id, else the first of the document of this id."""
    items = trace.context or ()
    named = (item for item in items if item.id == identity)
    return next(named, next((item for item in items if item.doc_id == identity), None))


def _line(
    identity: str, trace: Trace, claims: list[ClaimVerdict], marking: Marking, documents: Mapping[str, Document]
) -> CitationLine:
    item = _item(identity, trace)
    hit = next((h for ranking in trace.rankings or () for h in ranking.hits if h.id == identity), None)
    place = item if item is not None else hit
    doc_id = place.doc_id if place is not None else identity if identity in documents else None
    document = documents.get(doc_id) if doc_id is not None else None
    answer = trace.answer
    spans = [(c.start, c.end) for c in (answer.citations if answer else None) or () if identity in c.ids]
    return CitationLine(
        id=identity,
        doc_id=doc_id,
        in_context=None if trace.context is None else item is not None,
        mark=marking.mark(identity, doc_id, place.start, place.end) if place is not None else "",
        untrusted=document is not None and not document.trusted,
        claims=tuple(
            (number, claim.items.get(identity, claim.items.get(item.id) if item is not None else None))
            for number, claim in enumerate(claims, start=1)
            if identity in claim.cited or any(start < claim.end and claim.start < end for start, end in spans)
        ),
    )
