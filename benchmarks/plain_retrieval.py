"""The plain script that the reference pipeline is held against: whole documents, three lists, nothing else.

bm25s with its own tokeniser, its stop words and Snowball stemming; vectors of whole documents by cosine; reciprocal
rank fusion. Knows nothing of `reference_rag`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import bm25s
import numpy as np
import snowballstemmer
from bm25s.stopwords import STOPWORDS_EN, STOPWORDS_RUSSIAN
from numpy.typing import NDArray

__all__ = ["DEPTH", "bm25", "dense", "ndcg", "recall", "rrf", "whole"]

DEPTH = 50
LANGUAGES = {"en": ("english", list(STOPWORDS_EN)), "ru": ("russian", list(STOPWORDS_RUSSIAN))}
Run = dict[str, list[str]]
Vectors = NDArray[np.float32]


def whole(title: str, text: str) -> str:
    """Put a title before a text that does not begin with it."""
    return text if text.casefold().startswith(title.casefold()) else f"{title}\n{text}"


def bm25(documents: Mapping[str, str], questions: Mapping[str, str], *, written: str, asked: str) -> Run:
    """Rank whole documents by BM25; `written` and `asked`: language of documents and of questions."""
    index = bm25s.BM25()
    index.index(_words(list(documents.values()), written), show_progress=False)
    ids = list(documents)
    run: Run = {}
    for name, words in zip(questions, _words(list(questions.values()), asked), strict=True):
        known = index.get_tokens_ids(words)
        scores = index.get_scores_from_ids(known) if known else np.zeros(len(ids))
        run[name] = [ids[n] for n in np.argsort(-scores, kind="stable")[:DEPTH] if scores[n] > 0]
    return run


def _words(texts: Sequence[str], language: str) -> list[list[str]]:
    name, stops = LANGUAGES[language]
    stemmer = snowballstemmer.stemmer(name)
    words: list[list[str]] = bm25s.tokenize(
        list(texts), stopwords=stops, stemmer=stemmer.stemWords, show_progress=False, return_ids=False
    )
    return words


def dense(
    documents: Mapping[str, str],
    questions: Mapping[str, str],
    *,
    passages: Callable[[Sequence[str]], Vectors],
    query: Callable[[str], Vectors],
) -> Run:
    """Rank whole documents by the cosine of their vectors with the question's."""
    vectors = passages(list(documents.values()))
    ids = list(documents)
    return {
        name: [ids[n] for n in np.argsort(-(vectors @ query(text)), kind="stable")[:DEPTH]]
        for name, text in questions.items()
    }


def rrf(*runs: Run) -> Run:
    """Fuse runs by reciprocal ranks, k = 60."""
    fused: Run = {}
    for name in runs[0]:
        sums: dict[str, float] = {}
        for run in runs:
            for rank, document in enumerate(run[name], start=1):
                sums[document] = sums.get(document, 0.0) + 1 / (60 + rank)
        fused[name] = sorted(sums, key=lambda document: -sums[document])[:DEPTH]
    return fused


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], *, k: int = 10) -> float:
    """Return nDCG@k with gain 2^grade - 1, the ideal from all judged documents."""
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k]
    return _gain([grades.get(document, 0) for document in ranked[:k]]) / _gain(ideal)


def _gain(grades: Sequence[int]) -> float:
    return sum(float(2**grade - 1) / float(np.log2(place + 2)) for place, grade in enumerate(grades))


def recall(ranked: Sequence[str], grades: Mapping[str, int], *, k: int = 10) -> float:
    """Return the share of the relevant documents among the first k."""
    relevant = {document for document, grade in grades.items() if grade > 0}
    return len(relevant & set(ranked[:k])) / len(relevant)
