"""Whether a judge prefers what stands first."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import PreferenceView


@metric(
    title="Judge bias",
    unit="advantage of the first place, in shares of the pairs",
    bounds=(-1, 1),
    better="neither",
    source="Wang et al. 2023, Large Language Models are not Fair Evaluators; Zheng et al. 2023",
    aggregate="set",
    proxy=True,
)
def judge_bias(views: Sequence[PreferenceView]) -> Score:
    """Pairs in which what stood first won in both orders - pairs in which what stood second did, / pairs.

    0 for a judge that does not look at the place; 1 for one that always takes the first. The other probes (length,
    authority, format, planted instructions) are those of `ragtriage judge bias`. Undefined when no pair was judged.

    >>> judge_bias([PreferenceView("candidate", "base", candidate_words=5, base_words=5)])
    Value(value=1.0, support=1)
    """
    if not views:
        return Undefined("no pair of answers was judged")
    first = sum((view.straight, view.swapped) == ("candidate", "base") for view in views)
    second = sum((view.straight, view.swapped) == ("base", "candidate") for view in views)
    return Value((first - second) / len(views), support=len(views))
