"""BM25 over our own words, with the idf that is never negative: ln(1 + (N - n + 0.5) / (n + 0.5))."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reference_rag.optional import need

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Bm25", "inverse_frequencies"]


def inverse_frequencies(texts: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)) by term, for a term in n of N texts.

    >>> round(inverse_frequencies([["gift"], ["ship"], ["refund", "form"], ["refund"]])["refund"], 4)
    0.6931
    """
    counts = Counter(term for text in texts for term in set(text))
    return {term: math.log1p((len(texts) - n + 0.5) / (n + 0.5)) for term, n in counts.items()}


class Bm25:
    """BM25 in Lucene's form over texts that are already lists of terms (k1 = 1.5, b = 0.75)."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        bm25s = need("bm25s", package="bm25s", extra="reference", needed_for="mode = 'bm25' and 'hybrid'")
        self.model = f"bm25s/{bm25s.__version__}/lucene/k1-1.5/b-0.75"
        self._index: Any = None
        if any(texts):
            self._index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
            self._index.index([list(text) for text in texts], show_progress=False)

    def search(self, query: Sequence[str], *, allowed: NDArray[np.bool_], depth: int) -> list[tuple[int, float]]:
        """Return (place, score) of the best texts among the allowed ones, at most `depth`.

        A text that shares no term with the query scores 0 and is not retrieved. Equal scores keep the texts' order.
        """
        import numpy as np  # noqa: PLC0415 - loaded with the first search

        known = self._index.get_tokens_ids(list(query)) if self._index is not None else []
        if not known:
            return []
        scores = np.where(allowed, self._index.get_scores_from_ids(known), 0.0)
        order = np.argsort(-scores, kind="stable")[:depth]
        return [(int(place), float(scores[place])) for place in order if scores[place] > 0]
