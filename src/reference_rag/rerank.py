"""The second look at the candidates: a port, and a default that reads words and needs no model."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from reference_rag.searched import SearchedChunk
from reference_rag.tokens import numbers, terms

__all__ = ["Candidate", "LexicalReranker", "Reranker"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate: what it says, its place in the list before (from 1), the share of soft predicates it meets."""

    passage: SearchedChunk
    rank: int
    soft_share: float = 0.0


class Reranker(Protocol):
    """The port to a reranker; scores rise with relevance, one for each candidate in the order given."""

    model: str

    def scores(self, query: str, candidates: Sequence[Candidate], *, language: str | None) -> list[float]:
        """Score every candidate for the query."""
        ...


# What share of the score each piece of evidence decides. The list before keeps most of the say: words cannot see
# meaning, so they only settle what lies close together.
_WEIGHTS: Mapping[str, float] = {
    "before": 0.60,
    "covered": 0.16,
    "adjacent": 0.06,
    "numbers": 0.04,
    "heading": 0.06,
    "language": 0.02,
    "soft": 0.06,
}
_PRIOR_K = 10


class LexicalReranker:
    """Weighs the rank before against words: covered query terms by idf, pairs of them, numbers, headings, language.

    Every part lies in [0, 1], and so does the score.
    """

    model = "lexical/1"

    def __init__(self, frequencies: Mapping[str, float]) -> None:
        self._idf = frequencies
        self._unknown = max(frequencies.values(), default=1.0)

    def scores(self, query: str, candidates: Sequence[Candidate], *, language: str | None) -> list[float]:
        """Score every candidate for the query."""
        asked = terms(query, language=language)
        asked_numbers = numbers(query)
        return [self._score(asked, asked_numbers, candidate, language=language) for candidate in candidates]

    def _score(
        self, asked: Sequence[str], asked_numbers: set[str], candidate: Candidate, *, language: str | None
    ) -> float:
        passage = candidate.passage
        heading = set(passage.heading_terms)
        pairs = set(itertools.pairwise(asked))
        parts = {
            "before": (_PRIOR_K + 1) / (_PRIOR_K + candidate.rank),
            "covered": self._share(asked, set(passage.terms)),
            "adjacent": len(pairs & set(itertools.pairwise(passage.terms))) / len(pairs) if pairs else 0.0,
            "numbers": len(asked_numbers & passage.numbers) / len(asked_numbers) if asked_numbers else 0.0,
            "heading": self._share(asked, heading),
            "language": float(language is not None and language == passage.language),
            "soft": candidate.soft_share,
        }
        return sum(_WEIGHTS[name] * value for name, value in parts.items())

    def _share(self, asked: Sequence[str], present: set[str]) -> float:
        """Return the share of the asked terms that are present, each weighing its idf."""
        weights = {term: self._idf.get(term, self._unknown) for term in asked}
        whole = sum(weights.values())
        return sum(weight for term, weight in weights.items() if term in present) / whole if whole else 0.0
