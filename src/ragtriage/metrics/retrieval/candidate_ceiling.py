"""What no reranker can beat: recall of the candidates it is given."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Scores
from ragtriage.core.views import Candidates


@metric(
    title="Candidate ceiling",
    unit="fraction of the relevant items",
    bounds=(0, 1),
    better="higher",
    source="ours",
    levels=("evidence", "chunk", "document"),
)
def candidate_ceiling(candidates: Candidates, *, n: int | None = None) -> Scores:
    """Share of the relevant items among the first n candidates (None: all) that the last step could choose from.

    Shapes: grades [questions, depth] -> values [questions]. Undefined when nothing is relevant.

    >>> pool = Candidates.of([["n", "a", "b", "c"]], [{"a": 1, "c": 1, "x": 1, "y": 1}])
    >>> [candidate_ceiling(pool, n=n)[0].value for n in (2, None)]
    [0.25, 0.5]
    """
    found = candidates.found[:, :n].sum(axis=1)
    return Scores.ratio(found, candidates.relevant, undefined="nothing is relevant")
