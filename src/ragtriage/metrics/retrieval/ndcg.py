"""Whether the best results stand first, with graded relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Rankings

if TYPE_CHECKING:
    from numpy.typing import NDArray

Gain = Literal["exponential", "linear"]


@metric(
    title="Normalised discounted cumulative gain",
    unit="fraction of the best possible gain",
    bounds=(0, 1),
    better="higher",
    source="Järvelin and Kekäläinen 2002; Burges et al. 2005; Evaluating RAG, part 4; trec_eval ndcg_cut_k (linear)",
    levels=("chunk", "document"),
)
def ndcg(rankings: Rankings, *, k: int | None = None, gain: Gain = "exponential", condensed: bool = False) -> Scores:
    """Gain of the first k (None: of the whole list) / gain of the best order of ALL judged items, cut at k.

    Gain is 2^grade - 1, or the grade itself (`linear`); rank i is discounted by log2(i + 1). Unjudged items gain
    nothing. Shapes: grades [questions, depth] -> values [questions]. Undefined when nothing is relevant.
    `condensed`: unjudged results are taken out of the list first.

    >>> middling = Rankings.of([["junk", "ok", "best"]], [{"junk": -1, "ok": 1, "best": 2}])
    >>> [round(ndcg(middling, k=3, gain=gain)[0].value, 4) for gain in ("exponential", "linear")]
    [0.5869, 0.6199]
    """
    if condensed:
        rankings = rankings.condensed()
    reached, best = _dcg(rankings.grades[:, :k], gain), _dcg(rankings.ideal[:, :k], gain)
    values = np.divide(reached, best, out=np.zeros(len(best)), where=best > 0)
    return Scores.ratio(values, (rankings.relevant > 0) & (best > 0), undefined="nothing is relevant")


def _dcg(grades: NDArray[np.int64], gain: Gain) -> NDArray[np.float64]:
    """Add gains up one by one in order of rank, so that a question's value does not depend on the others' depth."""
    height = np.maximum(grades, 0).astype(np.float64)
    gains = height if gain == "linear" else np.exp2(height) - 1.0
    discounted = gains / np.log2(np.arange(2, grades.shape[1] + 2))
    total: NDArray[np.float64] = np.add.accumulate(discounted, axis=1)[:, -1]
    return total
