"""Whether evidence in the middle of the context gets lost."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import PositionView


@metric(
    title="Position sensitivity",
    unit="difference of correctness",
    bounds=(-1, 1),
    better="neither",
    source="Liu et al. 2023, Lost in the Middle; Evaluating RAG, part 6",
)
def position_sensitivity(view: PositionView) -> Score:
    """U = (first + last) / 2 - middle: how far correctness bends down with the evidence in the middle of the context.

    0 = the place does not matter, above 0 = lost in the middle. Undefined when the system was not asked with the
    evidence at all three places.

    >>> position_sensitivity(PositionView(first=1.0, middle=0.25, last=0.5))
    Value(value=0.5, support=3)
    """
    if view.first is None or view.middle is None or view.last is None:
        return Undefined("the system was not asked with the evidence first, middle and last")
    return Value((view.first + view.last) / 2 - view.middle, support=3)
