"""Whether the answer answers all that was asked."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import JudgedAnswerView

_WORTH = {"answered": 1.0, "partly": 0.5, "not_answered": 0.0}


@metric(
    title="Completeness",
    unit="fraction of the parts of the question",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 7",
    proxy=True,
    asks=("parts",),
)
def completeness(view: JudgedAnswerView, *, partly: float = 0.5) -> Score:
    """Parts of the question that the answer answers / parts asked; a part answered in part counts `partly`.

    Undefined when no model judged, or it finds no part in the question.

    >>> from ragtriage.core.verdicts import PartVerdict
    >>> said = [PartVerdict(text="fee?", label="answered"), PartVerdict(text="when?", label="not_answered")]
    >>> completeness(JudgedAnswerView(parts=tuple(said)))
    Value(value=0.5, support=2)
    """
    if view.parts is None:
        return Undefined("no model judged")
    if not view.parts:
        return Undefined("the question has no part")
    worth = _WORTH | {"partly": min(max(partly, 0.0), 1.0)}
    return Value(sum(worth[part.label] for part in view.parts) / len(view.parts), support=len(view.parts))
