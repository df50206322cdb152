"""How much more alike the sentences of one chunk are than those on two sides of a border."""

from __future__ import annotations

from typing import Literal

from ragtriage.core.chunk_views import SentencesView
from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Chunk coherence",
    unit="difference of mean cosines",
    bounds=(-2, 2),
    better="higher",
    source="Metrics for every stage of RAG: chunk coherence",
)
def chunk_coherence(view: SentencesView, *, pairs: Literal["every", "adjacent"] = "every") -> Score:
    """Mean cosine of pairs of sentences within a chunk minus that of pairs across the border of two neighbours.

    `every`: all pairs of a chunk, and all of one sentence in a chunk and another in the next. `adjacent`: only a
    sentence and the one that follows it, so that distance in the text has no part. A pair that an overlap puts into one
    chunk and across a border counts as within; a sentence without direction (a zero vector) is in no pair. Support:
    pairs. Undefined without vectors, for one chunk or one sentence, and where either kind of pair does not occur.

    >>> from ragtriage.core.chunk_views import PairCosines
    >>> two_alike_in_one_chunk = PairCosines(within=1.0, within_pairs=1, across=0.0, across_pairs=2)
    >>> chunk_coherence(SentencesView(every=two_alike_in_one_chunk, adjacent=PairCosines(1.0, 1, 0.0, 1)))
    Value(value=1.0, support=3)
    """
    found = view.every if pairs == "every" else view.adjacent
    if not found.within_pairs:
        return Undefined("no pair of sentences stands within a chunk")
    if not found.across_pairs:
        return Undefined("no pair of sentences stands across a border")
    mean_within, mean_across = found.within / found.within_pairs, found.across / found.across_pairs
    return Value(mean_within - mean_across, support=found.within_pairs + found.across_pairs)
