"""How near the answer is to the reference in the eyes of an embedding model."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import JudgedAnswerView


@metric(
    title="Semantic similarity",
    unit="cosine",
    bounds=(-1, 1),
    better="higher",
    source="Risch et al. 2021, semantic answer similarity",
    proxy=True,
    asks=("similarity",),
)
def semantic_similarity(view: JudgedAnswerView) -> Score:
    """Cosine of the answer with the nearest accepted reference.

    It is blind to a wrong number and to a negation, so it stands beside correctness and never for it. Undefined when
    there is no reference, no answer, or no embedding model.

    >>> from ragtriage.core.verdicts import AnswerSimilarity
    >>> semantic_similarity(JudgedAnswerView(similarity=AnswerSimilarity(cosine=0.9, embedder="e")))
    Value(value=0.9, support=1)
    """
    if view.similarity is None:
        why = "no embedding model ran, or there is no answer" if view.has_reference else "there is no reference answer"
        return Undefined(why)
    return Value(view.similarity.cosine, support=1)
