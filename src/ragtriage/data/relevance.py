"""What is relevant to a case, at three levels, for whatever chunking a system uses.

- evidence: the unit is a group of alternative spans; it is found when one of its spans is covered to at least
  `min_overlap` by the union of the first k results;
- chunk: a chunk's grade is the highest grade of a span that it covers to at least `min_overlap` by itself;
- document: a document's grade is its highest evidence grade.

Evidence that the principal may not see, or that was not in force at the case's date, is no miss when it is not found:
it counts as judged and not relevant.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ragtriage.core.records import Case, Chunk, Evidence
from ragtriage.data.corpus import Corpus
from ragtriage.data.eligibility import permitted, valid_on

__all__ = [
    "MIN_GRADE",
    "Gold",
    "GoldGroup",
    "GoldSpan",
    "Passage",
    "chunk_grade",
    "coverable_groups",
    "document_grades",
    "found_at",
    "gold_of",
    "span_of",
    "split_groups",
]

MIN_GRADE = 1


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that came through: [start, end) of a document; None where the source does not tell."""

    id: str
    doc_id: str | None
    start: int | None = None
    end: int | None = None

    @property
    def placed(self) -> bool:
        """Whether its place in a document is known."""
        return self.doc_id is not None and self.start is not None and self.end is not None


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """One piece of evidence; without `start` and `end` the whole document.

    `eligible`: the principal may see it and it is in force at the case's date (a document that the corpus does not
    hold is taken for eligible: nothing forbids it). `known`: the corpus holds the document, and the quote where the
    offsets had to be found by it.
    """

    doc_id: str
    start: int | None
    end: int | None
    grade: int
    eligible: bool = True
    known: bool = True

    @property
    def length(self) -> int:
        """Its length in code points; a whole document, whose length does not matter, has 0."""
        return 0 if self.start is None or self.end is None else self.end - self.start


@dataclass(frozen=True, slots=True)
class GoldGroup:
    """Alternative spans, any of which will do; `alternatives` holds the eligible and the others."""

    name: str
    alternatives: tuple[GoldSpan, ...]

    @property
    def eligible(self) -> tuple[GoldSpan, ...]:
        """The alternatives that the principal may see and that are in force."""
        return tuple(span for span in self.alternatives if span.eligible)

    @property
    def grade(self) -> int:
        """The highest grade of an eligible alternative."""
        return max((span.grade for span in self.eligible), default=0)


@dataclass(frozen=True)
class Gold:
    """What is relevant to one case: its groups, and the spans that were judged and are not relevant to it."""

    groups: tuple[GoldGroup, ...]
    junk: tuple[GoldSpan, ...]

    @cached_property
    def needed(self) -> tuple[GoldGroup, ...]:
        """The groups that have an eligible alternative: those that a perfect system finds."""
        return tuple(group for group in self.groups if group.eligible)

    @cached_property
    def has_spans(self) -> bool:
        """Whether any relevant eligible evidence says where in its document it stands."""
        return any(span.start is not None for group in self.needed for span in group.eligible)

    @cached_property
    def spans_by_document(self) -> Mapping[str, tuple[tuple[str | None, GoldSpan], ...]]:
        """By document every judged span with the name of its group (None: judged and not relevant)."""
        found: dict[str, list[tuple[str | None, GoldSpan]]] = {}
        for group in self.needed:
            for span in group.eligible:
                found.setdefault(span.doc_id, []).append((group.name, span))
        for span in self.junk:
            found.setdefault(span.doc_id, []).append((None, span))
        return {doc_id: tuple(spans) for doc_id, spans in found.items()}

    @cached_property
    def documents(self) -> frozenset[str]:
        """Documents that hold relevant eligible evidence."""
        return frozenset(span.doc_id for group in self.needed for span in group.eligible)


def span_of(evidence: Evidence, corpus: Corpus | None) -> tuple[int, int] | None:
    """Return where a piece of evidence stands: its offsets, else the one place where its quote stands.

    None for a whole document and for a quote that stands nowhere or at several places.
    """
    if evidence.start is not None and evidence.end is not None:
        return evidence.start, evidence.end
    document = corpus.documents.get(evidence.doc_id) if corpus is not None else None
    if not evidence.quote or document is None:
        return None
    first = document.text.find(evidence.quote)
    if first < 0 or document.text.find(evidence.quote, first + 1) >= 0:
        return None
    return first, first + len(evidence.quote)


def gold_of(case: Case, corpus: Corpus | None) -> Gold:
    """Read from the evidence of a case what is relevant to its principal at its date.

    Without a corpus nothing is known against any evidence. Evidence without a group is a group of its own.
    """
    groups: dict[str, list[GoldSpan]] = {}
    junk: list[GoldSpan] = []
    for evidence in case.evidence:
        span = _gold_span(evidence, case, corpus)
        if evidence.grade < MIN_GRADE:
            junk.append(span)
            continue
        groups.setdefault(evidence.group or _own_name(evidence), []).append(span)
        if not span.eligible:
            junk.append(span)
    return Gold(tuple(GoldGroup(name, tuple(spans)) for name, spans in groups.items()), tuple(junk))


def _gold_span(evidence: Evidence, case: Case, corpus: Corpus | None) -> GoldSpan:
    place = span_of(evidence, corpus)
    document = corpus.documents.get(evidence.doc_id) if corpus is not None else None
    eligible, known = True, corpus is None or document is not None
    if corpus is not None and document is not None:
        eligible = permitted(document, case.principal) and valid_on(corpus, document.doc_id, case.as_of)
        known = place is not None or not evidence.quote
    if place is None and evidence.quote and not known:
        place = (0, 0)  # a span that nothing covers: the quote stands nowhere
    start, end = place if place is not None else (None, None)
    return GoldSpan(evidence.doc_id, start, end, evidence.grade, eligible, known)


def _own_name(evidence: Evidence) -> str:
    return evidence.doc_id if evidence.start is None else f"{evidence.doc_id}[{evidence.start}:{evidence.end}]"


def document_grades(gold: Gold) -> Mapping[str, int]:
    """Return the grade of every judged document: its highest eligible grade, 0 where nothing in it is relevant."""
    grades = {span.doc_id: 0 for span in gold.junk}
    for group in gold.needed:
        for span in group.eligible:
            grades[span.doc_id] = max(grades.get(span.doc_id, 0), span.grade)
    return grades


def chunk_grade(gold: Gold, passage: Passage, *, min_overlap: float) -> int | None:
    """Return the highest grade of a span that a passage covers by itself; None where it covers no judged span.

    Evidence without offsets says nothing about chunks. None too for a passage whose place is not known.

    >>> gold = Gold((GoldGroup("a", (GoldSpan("d", 10, 20, 2),)),), ())
    >>> [chunk_grade(gold, Passage("c", "d", 0, end), min_overlap=0.5) for end in (14, 15)]
    [None, 2]
    """
    best: int | None = None
    for name, span in gold.spans_by_document.get(passage.doc_id or "", ()):
        if span.start is not None and _overlap(passage, span) >= _enough(span, min_overlap):
            best = max(best or 0, span.grade if name is not None else 0)
    return best


def found_at(gold: Gold, passages: Sequence[Passage], *, min_overlap: float) -> dict[str, int]:
    """Return for each group that the passages find the index of the passage that completed it.

    A span is found when the union of the passages so far covers it to at least `min_overlap`; a whole document as soon
    as any passage of it comes.

    >>> gold = Gold((GoldGroup("a", (GoldSpan("d", 10, 20, 1),)),), ())
    >>> found_at(gold, [Passage("c1", "d", 0, 13), Passage("c2", "d", 17, 30)], min_overlap=0.5)
    {'a': 1}
    """
    found: dict[str, int] = {}
    covered: dict[GoldSpan, list[tuple[int, int]]] = {}
    for index, passage in enumerate(passages):
        for name, span in gold.spans_by_document.get(passage.doc_id or "", ()):
            if name is None or name in found:
                continue
            if span.start is None or span.end is None:
                found[name] = index
            elif passage.start is not None and passage.end is not None:
                pieces = covered.setdefault(span, [])
                pieces.append((max(passage.start, span.start), min(passage.end, span.end)))
                if _union(pieces) >= _enough(span, min_overlap):
                    found[name] = index
    return found


def coverable_groups(gold: Gold, chunks: Mapping[str, Sequence[Chunk]], *, min_overlap: float) -> frozenset[str]:
    """Return the needed groups that the chunks of the system (by document) can cover, all of them taken together."""
    touched = [
        Passage(c.chunk_id, c.doc_id, c.start, c.end) for doc_id in gold.documents for c in chunks.get(doc_id, ())
    ]
    return frozenset(found_at(gold, touched, min_overlap=min_overlap))


def split_groups(gold: Gold, chunks: Mapping[str, Sequence[Chunk]], *, min_overlap: float) -> frozenset[str]:
    """Return the needed groups with spans none of which a single chunk covers to at least `min_overlap`."""
    apart = set()
    for group in gold.needed:
        spans = [span for span in group.eligible if span.start is not None]
        whole = any(
            _overlap(Passage(c.chunk_id, c.doc_id, c.start, c.end), span) >= _enough(span, min_overlap)
            for span in spans
            for c in chunks.get(span.doc_id, ())
        )
        if spans and not whole:
            apart.add(group.name)
    return frozenset(apart)


def _enough(span: GoldSpan, min_overlap: float) -> int:
    """Return how many code points of a span must be covered: at least one, whole numbers in spite of rounding."""
    return max(1, math.ceil(min_overlap * span.length - 1e-9))


def _overlap(passage: Passage, span: GoldSpan) -> int:
    if passage.start is None or passage.end is None or span.start is None or span.end is None:
        return 0
    return max(0, min(passage.end, span.end) - max(passage.start, span.start))


def _union(pieces: Iterable[tuple[int, int]]) -> int:
    """Return the length of the union of intervals; empty ones count nothing."""
    total, reached = 0, 0
    for start, end in sorted(piece for piece in pieces if piece[0] < piece[1]):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
