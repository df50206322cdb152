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
    """One candidate: what it says, its score in the list before, the share of soft predicates it meets."""

    passage: SearchedChunk
    before: float
    soft_share: float = 0.0


class Reranker(Protocol):
    """The port to a reranker; scores rise with relevance, one for each candidate in the order given."""

    model: str
    costs_nothing: bool

    def scores(self, query: str, candidates: Sequence[Candidate], *, language: str | None) -> list[float]:
        """Score every candidate for the query."""
        ...


# What share of the score each piece of evidence decides. The list before keeps most of the say: words cannot see
# meaning, so they settle what lies close together.
_WEIGHTS: Mapping[str, float] = {
    "before": 0.54,
    "covered": 0.11,
    "adjacent": 0.14,
    "numbers": 0.03,
    "heading": 0.05,
    "language": 0.03,
    "soft": 0.10,
}


class LexicalReranker:
    """Weighs the list before against words: covered query terms by idf, pairs of them, numbers, headings, language.

    The scores of the list before count by where they lie between its last and its first. Every part lies in [0, 1],
    and so does the score.
    """

    model = "lexical/1"
    costs_nothing = True

    def __init__(self, frequencies: Mapping[str, float]) -> None:
        self._idf = frequencies
        self._unknown = max(frequencies.values(), default=1.0)

    def scores(self, query: str, candidates: Sequence[Candidate], *, language: str | None) -> list[float]:
        """Score every candidate for the query."""
        asked = terms(query, language=language)
        asked_numbers = numbers(query)
        last = min((c.before for c in candidates), default=0.0)
        spread = max((c.before for c in candidates), default=0.0) - last
        return [
            self._score(
                asked, asked_numbers, c, before=(c.before - last) / spread if spread else 1.0, language=language
            )
            for c in candidates
        ]

    def _score(
        self,
        asked: Sequence[str],
        asked_numbers: set[str],
        candidate: Candidate,
        *,
        before: float,
        language: str | None,
    ) -> float:
        passage = candidate.passage
        heading = set(passage.heading_terms)
        pairs = set(itertools.pairwise(asked))
        parts = {
            "before": before,
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
