"""What the golden set and the corpus say of a passage that came through: gold, near gold, forbidden, stale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ragtriage.core.configuration import Configuration
from ragtriage.core.records import Case, Document, Evidence, Predicate
from ragtriage.data.corpus import Corpus
from ragtriage.data.eligibility import permitted, satisfies, valid_on
from ragtriage.data.relevance import MIN_GRADE, Gold, Passage, chunk_grade, found_at, gold_of

__all__ = ["MIN_OVERLAP", "Mark", "Marking"]

Mark = Literal["gold", "near", "forbidden", "stale", ""]
MIN_OVERLAP = 0.5  # of a gold span, where the run does not say what it was made with


@dataclass(frozen=True)
class Marking:
    """Marks passages for one case; `case` None (the run brings no cases): nothing is marked.

    `min_overlap`: the share of a gold span that a passage has to cover.
    """

    case: Case | None
    corpus: Corpus
    min_overlap: float = MIN_OVERLAP

    @classmethod
    def of(
        cls, case: Case | None, documents: Mapping[str, Document], *, settings: Configuration | None = None
    ) -> Marking:
        """Mark by these documents alone, as the run with these settings counts."""
        overlap = MIN_OVERLAP if settings is None else settings.golden.min_overlap
        return cls(case, Corpus(name="", version="", identity="", documents=documents), overlap)

    def alone(self, evidence: Evidence) -> Marking:
        """Mark by one piece of the evidence."""
        case = self.case.model_copy(update={"evidence": (evidence,)}) if self.case is not None else None
        return Marking(case, self.corpus, self.min_overlap)

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
        grade = chunk_grade(self._gold, Passage(identity, doc_id, start, end), min_overlap=self.min_overlap)
        return "gold" if grade is not None and grade >= MIN_GRADE else "near"

    @property
    def eligible(self) -> bool:
        """Whether any gold evidence may be seen by the principal and is in force at the case's date."""
        return bool(self._gold.needed)

    def completed_at(self, passages: Sequence[Passage]) -> int | None:
        """Return at which of the passages, counted from 1, the first needed evidence is found; None where it is not.

        As the metrics count: the passages up to there cover a gold span together, or one of them comes from a document
        that is gold as a whole.
        """
        found = found_at(self._gold, passages, min_overlap=self.min_overlap)
        return min(found.values()) + 1 if found else None

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
