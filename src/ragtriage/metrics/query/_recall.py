"""Paired differences of recall between two forms of one question, over whatever each of them retrieved."""

from __future__ import annotations

import numpy as np

from ragtriage.core.rankings import RankingPair
from ragtriage.core.score import Scores

__all__ = ["recall_gain"]


def recall_gain(pair: RankingPair, *, k: int) -> Scores:
    """Return recall in the first k after minus before, one a question; undefined where nothing is relevant.

    Other than for an uplift of an order, the two sides may hold other candidates: that is what a rewrite is for.
    """
    before, after = (side.found[:, :k].sum(axis=1) for side in (pair.before, pair.after))
    relevant = np.minimum(pair.before.relevant, pair.after.relevant)
    return Scores.ratio(after - before, relevant, undefined="nothing is relevant")
