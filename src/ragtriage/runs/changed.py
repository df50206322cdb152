"""How the state of an index in the moment of a question touches a case: documents still to come, or still to go."""

from __future__ import annotations

from ragtriage.core.records import Case, Trace
from ragtriage.data.relevance import Gold
from ragtriage.decisions.facts import IndexState, LateChange
from ragtriage.runs.viewing_changes import ChangeLog
from ragtriage.runs.viewing_documents import cited_documents
from ragtriage.runs.viewing_places import Places
from ragtriage.runs.viewing_stages import recorded

__all__ = ["late_change", "served_deletions"]


def late_change(
    case: Case, trace: Trace | None, documents: tuple[str, ...], index: IndexState | None, log: ChangeLog
) -> LateChange | None:
    """Return why no search could find any of these documents; of a case after an update also their new text."""
    if trace is None:
        return None
    return log.late(documents, trace.asked_at, updates=case.kind == "post_update", missing=index == "missing")


def served_deletions(trace: Trace | None, gold: Gold, places: Places, log: ChangeLog) -> tuple[LateChange, ...]:
    """Return the deletions of documents that came back from a search and are cited, unless they are evidence."""
    if trace is None:
        return ()
    came = {item.id for item in trace.context or ()}
    came |= {hit.id for ranking in recorded(trace) or () for hit in ranking.hits}
    cited = {document for i, document in cited_documents(trace, places).items() if document is not None and i in came}
    return log.still_served(sorted(cited - gold.documents), trace.asked_at)
