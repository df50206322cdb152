"""What the golden set and the corpus say of a passage that came through: gold, near gold, forbidden, stale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ragtriage.core.records import Case, Document, Predicate
from ragtriage.data.corpus import Corpus
from ragtriage.data.eligibility import permitted, satisfies, valid_on
from ragtriage.data.relevance import MIN_GRADE, Gold, Passage, chunk_grade, gold_of

__all__ = ["Mark", "Marking"]

Mark = Literal["gold", "near", "forbidden", "stale", ""]
_MIN_OVERLAP = 0.5  # of a gold span, the default of golden sets


@dataclass(frozen=True)
class Marking:
    """Marks passages for one case; `case` None (the run brings no cases): nothing is marked."""

    case: Case | None
    corpus: Corpus

    @classmethod
    def of(cls, case: Case | None, documents: Mapping[str, Document]) -> Marking:
        """Mark by these documents alone."""
        return cls(case, Corpus(name="", version="", identity="", documents=documents))

    def mark(self, identity: str, doc_id: str | None, start: int | None, end: int | None) -> Mark:
        """Return the gravest thing that is known of a passage."""
        document = self.corpus.documents.get(doc_id) if doc_id is not None else None
        if self.case is None or doc_id is None:
            return ""
        if document is not None and not permitted(document, self.case.principal):
            return "forbidden"
        if document is not None and not valid_on(self.corpus, doc_id, self.case.as_of):
            return "stale"
        if doc_id not in self._gold.documents:
            return ""
        if not self._gold.has_spans or doc_id in self._whole_documents:
            return "gold"
        grade = chunk_grade(self._gold, Passage(identity, doc_id, start, end), min_overlap=_MIN_OVERLAP)
        return "gold" if grade is not None and grade >= MIN_GRADE else "near"

    @property
    def eligible(self) -> bool:
        """Whether any gold evidence may be seen by the principal and is in force at the case's date."""
        return bool(self._gold.needed)

    def removes(self, predicate: Predicate) -> tuple[str, ...]:
        """Return the eligible gold documents that a predicate would remove, as far as the documents are known."""
        try:
            known = [self.corpus.documents[d] for d in sorted(self._gold.documents) if d in self.corpus.documents]
            return tuple(d.doc_id for d in known if not satisfies(self.corpus, d, predicate))
        except ValueError:
            return ()

    @cached_property
    def _gold(self) -> Gold:
        return gold_of(self.case, self.corpus) if self.case is not None else Gold((), ())

    @cached_property
    def _whole_documents(self) -> frozenset[str]:
        spans = (span for group in self._gold.needed for span in group.eligible)
        return frozenset(span.doc_id for span in spans if span.start is None)
