"""Views of documents: what predicates removed, and what came through that should not have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from ragtriage.core.records import Case, Predicate, Trace
from ragtriage.core.score import Undefined
from ragtriage.core.views import CoverageView, FilterView, Item, ItemsView, PredicatesView
from ragtriage.data.corpus import Corpus
from ragtriage.data.eligibility import describe, permitted, satisfies, valid_on
from ragtriage.data.relevance import Gold
from ragtriage.runs.viewing_places import Places
from ragtriage.runs.viewing_stages import final_hits, recorded

__all__ = ["Survivors", "coverage_view", "filter_view", "items_view", "predicates_view"]


class Survivors:
    """The documents of a corpus that pass predicates, worked out once for each predicate and each set of them."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._kept: dict[str, frozenset[str]] = {}
        self._together: dict[frozenset[str], frozenset[str]] = {}

    def of(self, predicate: Predicate) -> frozenset[str]:
        """Return the documents that a predicate keeps; ValueError where the corpus cannot tell."""
        key = describe(predicate)
        if key not in self._kept:
            self._check(predicate)
            documents = self._corpus.documents.values()
            self._kept[key] = frozenset(d.doc_id for d in documents if satisfies(self._corpus, d, predicate))
        return self._kept[key]

    def of_all(self, predicates: Iterable[Predicate]) -> frozenset[str]:
        """Return the documents that all of the predicates keep; ValueError where the corpus cannot tell."""
        by_key = {describe(predicate): predicate for predicate in predicates}
        together = frozenset(by_key)
        if together not in self._together:
            kept = frozenset(self._corpus.documents)
            for predicate in by_key.values():
                kept &= self.of(predicate)
            self._together[together] = kept
        return self._together[together]

    def keeps(self, doc_id: str, predicate: Predicate) -> bool | None:
        """Say whether a predicate keeps a document; None where the corpus cannot tell."""
        try:
            return doc_id in self.of(predicate)
        except ValueError:
            return None

    def _check(self, predicate: Predicate) -> None:
        name = predicate.field.removeprefix("metadata.")
        if (
            predicate.field != "valid_on"
            and name.split(".")[0] not in self._corpus.fields
            and name not in self._corpus.fields
        ):
            raise ValueError(f"no document of the corpus has a field {predicate.field!r}")


def coverage_view(gold: Gold, trace: Trace, places: Places) -> CoverageView | Undefined:
    """Return the golden documents and those that any ranking returned."""
    rankings = recorded(trace)
    if rankings is None:
        return Undefined("the trace records no rankings")
    found = {hit.doc_id or places.document_of(hit.id) for ranking in rankings for hit in ranking.hits}
    return CoverageView(golden=gold.documents, retrieved=frozenset(d for d in found if d is not None))


def predicates_view(case: Case, trace: Trace) -> PredicatesView:
    """Return extracted and gold predicates side by side."""
    return PredicatesView(extracted=trace.predicates, gold=case.predicates)


def filter_view(gold: Gold, trace: Trace, survivors: Survivors, corpus: Corpus) -> FilterView | Undefined:
    """Work out on the corpus what the applied predicates did; the system under test is not believed.

    Gold documents that the corpus does not hold are no matter of filters and left out.
    """
    eligible = frozenset(d for d in gold.documents if d in corpus.documents)
    if trace.predicates is None:
        return FilterView(eligible=eligible, survivors=None)
    hard = [p for p in trace.predicates if p.mode == "hard"]
    try:
        kept = survivors.of_all(hard)
        removed = {describe(p): eligible - survivors.of(p) for p in hard}
        unknown = tuple(
            describe(p) for p in trace.predicates if p.mode == "unknown" and not eligible <= survivors.of(p)
        )
    except ValueError as error:
        return Undefined(f"a predicate cannot be evaluated: {error}")
    return FilterView(eligible=eligible, survivors=kept, removed_by=removed, unknown_modes=unknown)


class _Judge:
    """Says of a document what the corpus says of it for one case."""

    def __init__(self, case: Case, corpus: Corpus, survivors: Survivors) -> None:
        self._case = case
        self._corpus = corpus
        self._survivors = survivors
        self._required = [p for p in case.predicates or () if p.mode != "soft"]

    def item(self, item_id: str, doc_id: str) -> Item:
        document = self._corpus.documents[doc_id]
        valid = valid_on(self._corpus, doc_id, self._case.as_of)
        return Item(
            id=item_id,
            doc_id=doc_id,
            permitted=permitted(document, self._case.principal),
            valid=valid,
            superseded_by_valid=not valid and _other_version_valid(self._corpus, doc_id, self._case.as_of),
            meets_predicates=all(self._survivors.keeps(doc_id, p) is not False for p in self._required),
            trusted=document.trusted,
        )


def items_view(
    case: Case, trace: Trace, places: Places, survivors: Survivors, *, quoted: tuple[str, ...] | None
) -> ItemsView | Undefined:
    """Return what came through at each place as the corpus judges it.

    `quoted`: forbidden documents whose text the answer copies (None: there is no answer). Repeats of an id at one
    place count once. Results and context items of no known document are counted as unresolved; a citation of an id
    that stands nowhere is an invention, not a document.
    """
    corpus = places.corpus
    if corpus is None:
        return Undefined("there is no corpus to say who may see what")
    judge = _Judge(case, corpus, survivors)

    def judged(ids: Mapping[str, str | None] | None) -> tuple[Item, ...] | None:
        if ids is None:
            return None
        return tuple(judge.item(i, d) for i, d in ids.items() if d is not None and d in corpus.documents)

    hits, context = final_hits(trace), trace.context
    shown = [
        None if items is None else {i.id: i.doc_id or places.document_of(i.id) for i in items}
        for items in (hits, context)
    ]
    cites = trace.answer is not None and trace.answer.citations is not None
    return ItemsView(
        results=judged(shown[0]),
        context=judged(shown[1]),
        citations=judged(cited_documents(trace, places) if cites else None),
        quotes=None if quoted is None else tuple(judge.item(doc_id, doc_id) for doc_id in quoted),
        unresolved=sum(d not in corpus.documents for ids in shown for d in (ids or {}).values()),
    )


def cited_documents(trace: Trace, places: Places) -> dict[str, str | None]:
    """Return the document behind each cited id, in order of citation; None where nothing says which."""
    stands: dict[str, str | None] = {}
    for ranking in recorded(trace) or ():
        stands.update({hit.id: hit.doc_id for hit in ranking.hits if hit.doc_id is not None})
    stands.update({item.id: item.doc_id for item in trace.context or () if item.doc_id is not None})
    answer = trace.answer
    cited = [i for c in (answer.citations or () if answer is not None else ()) for i in c.ids]
    return {i: stands.get(i) or places.document_of(i) for i in cited}


def _other_version_valid(corpus: Corpus, doc_id: str, day: date | None) -> bool:
    """Say whether another version of a document, before it or after it, is in force on a day."""
    seen, waiting = {doc_id}, [doc_id]
    while waiting:
        current = waiting.pop()
        document = corpus.documents.get(current)
        older = {document.supersedes} if document is not None and document.supersedes is not None else set()
        near = older | {successor.doc_id for successor in corpus.successors.get(current, ())}
        for other in near - seen:
            if other in corpus.documents and valid_on(corpus, other, day):
                return True
            seen.add(other)
            waiting.append(other)
    return False
