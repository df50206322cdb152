"""Whether the answer as a whole agrees with its reference, by one verdict of a model."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import JudgedAnswerView

_WORTH = {"correct": 1.0, "partly_correct": 0.5, "incorrect": 0.0, "not_attempted": 0.0}


@metric(
    title="Answer correctness",
    unit="fraction of answers, in part counts half",
    bounds=(0, 1),
    better="higher",
    source="SimpleQA (Wei et al. 2024)",
    proxy=True,
    asks=("correctness",),
)
def answer_correctness(view: JudgedAnswerView, *, partly: float = 0.5) -> Score:
    """1 if the answer holds all of the reference that the question needs and contradicts none of it, else 0.

    A part of it without a contradiction counts `partly`; no attempt counts 0. Unlike `generation.correctness`, which
    counts claims, one wrong value makes the whole answer wrong. Undefined when no model judged, and without a reference
    or an answer.

    >>> from ragtriage.core.verdicts import CorrectnessVerdict
    >>> answer_correctness(JudgedAnswerView(correctness=CorrectnessVerdict(label="partly_correct")))
    Value(value=0.5, support=1)
    """
    if view.correctness is None:
        return Undefined("no model judged, or there is no reference or no answer")
    worth = _WORTH | {"partly_correct": min(max(partly, 0.0), 1.0)}
    return Value(worth[view.correctness.label], support=1)
