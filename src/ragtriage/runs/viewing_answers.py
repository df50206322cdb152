"""Views of what came back: the answer, its claims, its nuggets, and the request as a service call."""

from __future__ import annotations

from ragtriage.core.records import Case, Trace
from ragtriage.core.score import Failed
from ragtriage.core.verdicts import Verdicts
from ragtriage.core.views import AnswerView, CitedItem, ClaimsView, NuggetsView, ServiceView
from ragtriage.data.corpus import Corpus
from ragtriage.data.eligibility import permitted, superseded_on
from ragtriage.runs.viewing_documents import cited_documents
from ragtriage.runs.viewing_places import Places
from ragtriage.runs.viewing_stages import final_hits
from ragtriage.text.normalise import fold_text

__all__ = ["answer_view", "behaviour_of", "claims_view", "nuggets_view", "service_view"]

_TOTAL = "total"
_CORPUS = "corpus"


def behaviour_of(trace: Trace, verdicts: Verdicts | None) -> str | None:
    """Return what the answer does: as the system recorded it, else as the judge says."""
    if trace.answer is not None and trace.answer.acted is not None:
        return trace.answer.acted
    return verdicts.behaviour.behaviour if verdicts is not None and verdicts.behaviour is not None else None


def claims_view(trace: Trace, verdicts: Verdicts | None, *, relevant_ids: frozenset[str]) -> ClaimsView:
    """Return the claims of answer and reference with their verdicts."""
    claims = verdicts.claims if verdicts is not None else None
    answer = trace.answer
    cited = answer.citations if answer is not None else None
    return ClaimsView(
        claims=None if claims is None else tuple(c for c in claims if c.of == "answer"),
        reference=None if claims is None else tuple(c for c in claims if c.of == "reference"),
        context_ids=None if trace.context is None else tuple(item.id for item in trace.context),
        relevant_ids=relevant_ids,
        citations=None if cited is None else tuple(i for citation in cited for i in citation.ids),
        abstained=behaviour_of(trace, verdicts) == "abstain",
    )


def nuggets_view(verdicts: Verdicts | None) -> NuggetsView:
    """Return the nuggets with their verdicts."""
    return NuggetsView(verdicts.nuggets if verdicts is not None else None)


def answer_view(case: Case, trace: Trace, verdicts: Verdicts | None, places: Places) -> AnswerView:
    """Return the answer and what was demanded of it."""
    answer = trace.answer
    context = None if trace.context is None else tuple(item.text for item in trace.context)
    return AnswerView(
        question=case.question,
        text=answer.text if answer is not None else None,
        behaviour=behaviour_of(trace, verdicts),  # type: ignore[arg-type]
        answerable=case.answerable,
        expected=case.expected,
        language=case.language,
        context=context,
        citations=_cited_items(case, trace, places),
        fields=answer.fields if answer is not None else None,
        confidence=answer.confidence if answer is not None else None,
        planted=_planted(case, context),
        behaviour_judged=answer is not None
        and answer.acted is None
        and verdicts is not None
        and verdicts.behaviour is not None,
    )


def _planted(case: Case, context: tuple[str, ...] | None) -> bool:
    marker = case.expected.injection
    return marker is not None and any(fold_text(marker) in fold_text(text) for text in context or ())


def _cited_items(case: Case, trace: Trace, places: Places) -> tuple[CitedItem, ...] | None:
    if trace.answer is None or trace.answer.citations is None:
        return None
    documents = cited_documents(trace, places)
    shown = {item.id for item in trace.context or ()}
    shown |= {item.doc_id or places.document_of(item.id) or item.id for item in trace.context or ()}
    cited = [i for citation in trace.answer.citations for i in citation.ids]
    return tuple(_cited_item(i, documents[i], case, places.corpus, in_context=i in shown) for i in cited)


def _cited_item(item_id: str, doc_id: str | None, case: Case, corpus: Corpus | None, *, in_context: bool) -> CitedItem:
    document = corpus.documents.get(doc_id or "") if corpus is not None else None
    if corpus is None or document is None:
        return CitedItem(item_id, in_context)
    day = case.as_of
    return CitedItem(
        id=item_id,
        in_context=in_context,
        trusted=document.trusted,
        permitted=permitted(document, case.principal),
        superseded=None if day is None else superseded_on(corpus, document.doc_id, day),
    )


def service_view(trace: Trace | None, failed: Failed | None, *, limit_ms: float, corpus: Corpus | None) -> ServiceView:
    """Return the request as a service call; a case that broke without a trace leaves its failure alone.

    The whole duration is the timing named `total`. The index is stale where the trace's bundle names the corpus it
    was built from and that is another one.
    """
    if trace is None:
        late = failed is not None and "timeout" in failed.error.replace("_", "").lower()
        return ServiceView(outcome="timeout" if late else "error", limit_ms=limit_ms)
    broke = trace.error
    hits = final_hits(trace)
    built_from = (trace.bundle or {}).get(_CORPUS)
    total = next((t.duration_ms for t in trace.timings or () if t.stage == _TOTAL), None)
    stages = tuple(t for t in trace.timings or () if t.stage != _TOTAL)
    return ServiceView(
        outcome="answered" if broke is None else "timeout" if broke.timed_out else "error",
        duration_ms=total,
        limit_ms=limit_ms,
        first_token_ms=trace.first_token_ms,
        timings=stages or None,
        cost=trace.cost.total if trace.cost is not None else None,
        cache=trace.cache,
        empty_retrieval=None if hits is None or broke is not None else not hits,
        stale_index=None if built_from is None or corpus is None else built_from != corpus.identity,
        asked_at_s=trace.asked_at.timestamp() if trace.asked_at is not None else None,
    )
